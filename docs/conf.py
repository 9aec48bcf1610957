"""Sphinx configuration of the site: `sphinx-build -n -W --keep-going -j auto docs build/docs`."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from nbclient import NotebookClient

import calibrated_metrics

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

# The pages run with the kernel configuration of this folder, not with that of the user.
_ipython = tempfile.TemporaryDirectory()
shutil.copytree(HERE / "_ipython", Path(_ipython.name) / "profile_default")
os.environ["IPYTHONDIR"] = _ipython.name
# A kernel that shuts down by itself prints at times that an assertion of libzmq failed.
NotebookClient.shutdown_kernel.default_value = "immediate"
# Pages of modules and names that no longer exist would stay.
shutil.rmtree(HERE / "reference" / "api" / "generated", ignore_errors=True)

project = "calibrated-metrics"
author = "the calibrated-metrics developers"
version = release = calibrated_metrics.__version__
language = "en"

extensions = [
    "each_name",
    "large_figures",
    "metrics_at_a_glance",
    "myst_nb",
    "notebook_gallery",
    "numpydoc",
    "play_with_the_prior",
    "search_words",
    "sphinx.ext.autodoc",
    "short_names",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
templates_path = ["_templates"]
exclude_patterns = ["_*"]
default_role = "name"  # `name` in a docstring is a link if it is a public name

# Pages. Code cells run at each build; an error in a cell is an error of the build.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_merge_streams = True  # the lines of one cell may arrive in several parts
nb_execution_timeout = 600  # seconds; a cell takes about one on a quiet machine

# The copy button leaves out prompts and printed results.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# API, from docstrings.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
nitpick_ignore_regex = [("py:.*", r"sklearn\..*")]  # no network, so no inventory of other projects

html_theme = "pydata_sphinx_theme"
html_title = f"calibrated-metrics {release}"
html_domain_indices = False
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["site.css"]
html_js_files = ["names.js"]
html_context = {"default_mode": "auto"}  # light or dark, as the browser asks for
without_section = ("index", "start", "play")
html_sidebars = {page: [] for page in without_section}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "logo": {
        "text": "calibrated-metrics",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "Two precision-recall curves",
    },
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}
copyright = author
