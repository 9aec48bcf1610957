"""The page of a run: claims, figures and provenance in one HTML file."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined

from reproduction.report.sentences import VERDICTS, numbers_met, score, verdicts
from reproduction.report.text import caption_html, expected, number, typeset

_HEADINGS = {"tp": "true positives", "fp": "false positives", "pi0": "π₀", "n_pos": "positives"}
_HEADINGS |= {"n_kept": "positives kept", "calibrated": "calibrated precision"}
_HEADINGS |= {"mean": "mean of subsamples", "rmse": "root mean square difference"}
_NOT_OF_PAPERS = {"authors' code and scores": "Authors’ code and scores", "ours": "Our findings"}


def version() -> str:
    """Hash of the template, so that editing it renders the page again."""
    return hashlib.sha256(_template().encode()).hexdigest()[:16]


def _template() -> str:
    return (files("reproduction.report") / "template.html").read_text(encoding="utf-8")


def render(
    claims: pd.DataFrame,
    sentences: pd.DataFrame,
    path: str,
    paths: Sequence[str],
    figures: Mapping[str, Mapping[str, Any]],
    categories: Sequence[str],
    **tables: pd.DataFrame,
) -> str:
    """Return the page as HTML.

    `claims` is the result of `core.claims.judge` for all rooms, `sentences` that of
    `sentences.judged`, `path` the file provenance.json, and `paths` are the PDF, PNG and SVG files
    of the figures. `figures` gives the `title`, `category` and `caption` of a figure, or of a small
    table of `tables`, by its name. `categories` has their order; others follow.
    """
    sentences = sentences.fillna("")
    provenance = json.loads(Path(path).read_text(encoding="utf-8"))
    is_bound = claims["paper_value"].astype(str).str.match("[<>]")
    claims = claims.fillna({"reason": ""}).assign(
        verdict=verdicts(claims), is_published=~is_bound & (claims["source"] != "ours")
    )
    sections: dict[str, list[dict[str, Any]]] = {category: [] for category in categories}
    for name in sorted(figures, key=_natural):
        caption = caption_html(name, figures[name]["caption"], provenance["configuration"])
        entry = {
            "name": name,
            "title": figures[name]["title"],
            "caption": caption,
            "files": [Path(each) for each in paths if Path(each).stem == name],
            "table": _small(tables[name]) if name in tables else "",
            "claims": claims[claims["figure"] == name],
        }
        sections.setdefault(figures[name]["category"], []).append(entry)
    order = [entry["name"] for entries in sections.values() for entry in entries]
    headlines = claims[claims["headline"] & claims["verdict"].isin(["holds", "differs"])]
    return _TEMPLATES.from_string(_template()).render(
        sections={category: entries for category, entries in sections.items() if entries},
        broken=claims[claims["verdict"] == "broken"],
        headlines=headlines.sort_values(
            "figure", key=lambda names: names.map(order.index), kind="stable"
        ),
        score=score(claims, sentences),
        numbers=numbers_met(claims),
        counts=_counts(claims, sentences),
        sentences=sentences,
        provenance=provenance,
    )


def _counts(claims: pd.DataFrame, sentences: pd.DataFrame) -> pd.DataFrame:
    """Number of sentences by paper and verdict, and of the claims that are of no paper."""
    other = claims[claims["source"] != "papers"].replace({"source": _NOT_OF_PAPERS})
    rows = pd.concat([sentences, other])
    counts = pd.crosstab(rows["source"], rows["verdict"])
    columns = [verdict for verdict in VERDICTS if verdict in counts]
    return counts.reindex(index=rows["source"].unique(), columns=columns)


def _small(table: pd.DataFrame) -> str:
    headings = [_HEADINGS.get(name, name).replace("@pi0=", " at π₀ = ") for name in table]
    return table.set_axis(headings, axis=1).to_html(index=False, border=0, float_format=number)


def _image(file: Path) -> str:
    """A PNG file as a data URI."""
    return f"data:image/png;base64,{base64.b64encode(file.read_bytes()).decode('ascii')}"


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort key that puts fig9 before fig10."""
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name)]


_TEMPLATES = Environment(
    autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_TEMPLATES.filters |= {
    "expected": expected,
    "image": _image,
    "number": number,
    "typeset": typeset,
}
