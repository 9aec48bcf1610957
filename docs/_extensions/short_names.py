"""Links for names in docstrings: `Estimate` and `uncertainty.interval` need no full path.

A name in single backquotes becomes a link if exactly one public name of the library ends with it.
Otherwise it is the name of a parameter, and stays as it is. A file of `docs` is a link to its page.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

LIBRARY = "calibrated_metrics"
MEMBERS = {"attribute", "method", "property"}  # named with their class, unlike parameters
PAGE = re.compile(r"``docs/([\w/-]+)\.md``")


def name_role(role, rawtext, text, lineno, inliner, options=None, content=()):
    node = addnodes.pending_xref(
        rawtext,
        nodes.literal(rawtext, text, classes=["xref", "py"]),
        refdomain="py",
        reftype="obj",
        reftarget=text,
        refdoc=inliner.document.settings.env.current_document.docname,
        may_be_a_parameter=True,
    )
    return [node], []


def resolve(app, env, node, contnode):
    """Resolve a short name of the library, or leave the name of a parameter as text."""
    if node.get("refdomain") != "py":
        return None
    # The package offers the names of some modules, such as `calibrated_metrics.roc_curve`.
    target, domain = node["reftarget"].removeprefix(f"{LIBRARY}."), env.domains.python_domain
    known = domain.objects.keys() | domain.modules.keys()
    public = {name for name in known if name.startswith(LIBRARY) and "._" not in name}
    found = [name for name in public if name.endswith(f".{target}")]
    if "." not in target:
        kinds = {name: entry.objtype for name, entry in domain.objects.items()}
        found = [name for name in found if kinds.get(name) not in MEMBERS]
    if len(found) == 1:
        entry = domain.objects[found[0]]
        return make_refnode(
            app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, found[0]
        )
    return contnode if node.get("may_be_a_parameter") else None


def link_pages(app, what, name, thing, options, lines):
    """Make links of the files of pages in a docstring."""
    lines[:] = [PAGE.sub(r":doc:`/\1`", line) for line in lines]


def setup(app):
    app.add_role("name", name_role)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", link_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
