"""The page of a run: claims, figures and provenance in one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, StrictUndefined

from reproduction.report.text import caption_html, cells, compared, expected, sentence, typeset

_PIXELS_PER_DOT = 96 / 200 * 1.25  # PNG files have 200 dpi; 25 % larger on a screen
_TONES = {"holds": "good", "differs": "known", "not checked": "open", "broken": "broken"}
_SOURCES = {
    "papers": "Published",
    "authors' code and scores": "Authors’ code and scores",
    "ours": "Our finding",
}
# What the setting `source` of a room means.
_DATA = {
    "fraud": {
        "": "Fraud data",
        "simulated": "simulated, in place of Kaggle’s transactions",
        "file": "your file of card transactions",
        "scores": "your file of labels and scores",
        "openml": "OpenML dataset 1597",
        "kaggle": "Kaggle’s card transactions",
    },
    "ranking": {
        "": "Ranked models",
        "local": "scikit-learn models on data sets of UCI and KEEL, in place of OpenML’s runs",
        "openml": "runs on OpenML’s tasks",
        "published": "the authors’ stored scores",
    },
}


def version() -> str:
    """Hash of the template, so that editing it renders the page again."""
    return hashlib.sha256(_template().encode()).hexdigest()[:16]


def _template() -> str:
    return (files("reproduction.report") / "template.html").read_text(encoding="utf-8")


def render(
    claims: pd.DataFrame,
    path: str,
    paths: Sequence[str],
    figures: Mapping[str, Mapping[str, Any]],
    categories: Sequence[str],
    **tables: pd.DataFrame,
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    claims : DataFrame
        The result of `reproduction.core.claims.judge` for all rooms.
    path : str
        The file provenance.json, in the folder of results.
    paths : sequence of str
        The PDF, PNG and SVG files of the figures.
    figures : mapping
        By name: `title`, `category` and `caption`, a Jinja template in reStructuredText. A name
        without files in `paths` is one of `tables`.
    categories : sequence of str
        Order of the categories; others follow.
    **tables : DataFrame
        Small tables to show, by name.

    Raises
    ------
    ValueError
        If a caption is malformed or quotes a setting that does not exist; the message names it.
    """
    provenance = json.loads(Path(path).read_text(encoding="utf-8"))
    folder = Path(path).parent
    rows = _claims(claims, figures)
    entries = [
        {
            **figures[name],
            "name": name,
            "caption": caption_html(name, figures[name]["caption"], provenance["configuration"]),
            **_image(name, paths),
            "table": cells(tables[name]) if name in tables else None,
            **_claims_of(name, rows),
            "links": _links(name, folder, paths, rows),
        }
        for name in sorted(figures, key=_natural)
    ]
    return _TEMPLATES.from_string(_template()).render(
        sections=_sections(entries, categories),
        broken=[row for row in rows if row["verdict"] == "broken"],
        headlines=_headlines(rows),
        others=[row for row in rows if row["anchor"] == "others" and row["is_shown"]],
        counts=_counts(claims),
        data=_data(provenance["configuration"]),
        configuration=yaml.safe_dump(
            provenance["configuration"], sort_keys=False, allow_unicode=True
        ),
        provenance=provenance,
    )


# -------------------------------------------------------------------------------------- claims


def _claims(claims: pd.DataFrame, figures: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows for the template: texts instead of numbers, and `broken` as a verdict."""
    rows = claims.fillna({"reason": "", "ours": float("nan"), "tolerance": 0}).to_dict("records")
    for row in rows:
        published = row["paper_value"]
        row["expected_text"] = expected(published, row["tolerance"])
        row["ours_text"] = compared(row["ours"], published)
        row["verdict"] = row["verdict"] if row["expected"] else "broken"
        row["tone"] = _TONES[row["verdict"]]
        row["origin"] = f"{_SOURCES.get(row['source'], row['source'])}: {row['read_from']}"
        row["figure_title"] = figures.get(row["figure"], {}).get("title", row["table"])
        row["anchor"] = row["figure"] if row["figure"] in figures else "others"
        row["is_shown"] = row["kind"] == "claim" or row["verdict"] == "broken"
    return rows


def _headlines(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Main claims; none if no claim is checked, because all data are the user's own."""
    verdicts = list(_TONES)
    shown = [row for row in rows if row["headline"] and row["verdict"] != "broken"]
    if all(row["verdict"] == "not checked" for row in rows):
        return []
    return sorted(shown, key=lambda row: verdicts.index(row["verdict"]))


def _counts(claims: pd.DataFrame) -> list[dict[str, Any]]:
    """Number of claims by source and verdict; the last row counts the checks of drawn values."""
    names = {**_SOURCES, "papers": "Claims of the papers", "ours": "Our findings"}
    source = claims["source"].map(names).fillna(claims["source"])
    source = source.mask(claims["kind"] == "check", "Checks of drawn values")
    verdict = claims["verdict"].where(claims["expected"], "broken")
    counts = pd.crosstab(source, verdict).reindex(columns=list(_TONES), fill_value=0)
    order = [*names.values(), "Checks of drawn values"]
    counts = counts.sort_index(key=lambda each: [order.index(name) for name in each])
    return [{"name": row.Index, "numbers": row[1:]} for row in counts.itertuples()]


# ------------------------------------------------------------------------------------- figures


def _claims_of(name: str, rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    shown = [row for row in rows if row["figure"] == name and row["is_shown"]]
    return {
        "checked": [row for row in shown if row["verdict"] != "not checked"],
        "unchecked": [row for row in shown if row["verdict"] == "not checked"],
    }


def _links(
    name: str, folder: Path, paths: Iterable[str], rows: Iterable[dict[str, Any]]
) -> dict[str, str]:
    """The files of a figure, and the tables that its claims and checks read."""
    drawn = [Path(path) for path in paths if Path(path).stem == name]
    tables = dict.fromkeys([name, *(row["table"] for row in rows if row["figure"] == name)])
    return {
        **{path.suffix[1:].upper(): path.relative_to(folder).as_posix() for path in drawn},
        **{
            f"{table}.csv": f"tables/{table}.csv"
            for table in tables
            if (folder / "tables" / f"{table}.csv").is_file()
        },
    }


def _image(name: str, paths: Iterable[str]) -> dict[str, Any]:
    """The smaller of PNG and SVG as a data URI, and the size on the screen."""
    drawn = {Path(path).suffix: Path(path) for path in paths if Path(path).stem == name}
    if not drawn:
        return {"image": None}
    header = drawn[".png"].read_bytes()[:24]
    width, height = (round(side * _PIXELS_PER_DOT) for side in struct.unpack(">II", header[16:]))
    smaller = min((drawn[".png"], drawn[".svg"]), key=lambda file: file.stat().st_size)
    kind = {".png": "png", ".svg": "svg+xml"}[smaller.suffix]
    content = base64.b64encode(smaller.read_bytes()).decode("ascii")
    return {"image": f"data:image/{kind};base64,{content}", "width": width, "height": height}


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort key that puts fig9 before fig10."""
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name)]


def _sections(
    entries: Iterable[dict[str, Any]], categories: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    sections: dict[str, list[dict[str, Any]]] = {category: [] for category in categories}
    for entry in entries:
        sections.setdefault(entry["category"], []).append(entry)
    return {category: each for category, each in sections.items() if each}


# ---------------------------------------------------------------------------------------- data


def _data(configuration: Mapping[str, Any]) -> dict[str, str]:
    """Data of the experiments that were run."""
    chosen = configuration.get("experiments") or _DATA
    sources = {room: configuration.get(room, {}).get("source") for room in _DATA if room in chosen}
    if configuration.get("ranking", {}).get("local", {}).get("files"):
        sources["ranking"] = "your files"
    return {
        _DATA[room][""]: _DATA[room].get(source, source)
        for room, source in sources.items()
        if source
    }


def _anchor(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-")


_TEMPLATES = Environment(
    autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_TEMPLATES.filters |= {"anchor": _anchor, "sentence": sentence, "typeset": typeset}
