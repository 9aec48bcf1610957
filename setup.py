"""The README as the page of the package, where links to files of the repository lead nowhere.

With ``Repository`` in ``[project.urls]`` these links lead there, to the tag of the version. Without
it they become plain text, and pictures are left out. All other metadata is in pyproject.toml.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
OF_FILES = re.compile(r"(!?)\[([^]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")
CAPTION = re.compile(r"(?<=!)(\[[^]]*\]\([^)]*\))\n\n\*[^*]*\*\n")


def page_of_the_package(readme: str, repository: str | None, version: str) -> str:
    """Return the README without links that need the files of the repository beside it."""
    if repository is None:
        readme = CAPTION.sub(r"\1", readme)  # the caption of a picture that is left out

    def absolute(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        if repository is None:
            return "" if picture else text
        return f"{picture}[{text}]({repository}/{'raw' if picture else 'blob'}/v{version}/{target})"

    return OF_FILES.sub(absolute, readme)


def version_of_the_library() -> str:
    text = (ROOT / "src/calibrated_metrics/__init__.py").read_text("utf-8")
    return re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)[0]


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    setup(
        long_description=page_of_the_package(
            (ROOT / "README.md").read_text("utf-8"),
            project["urls"].get("Repository"),
            version_of_the_library(),
        ),
        long_description_content_type="text/markdown",
    )
