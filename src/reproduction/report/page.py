"""Write the report of a run as one HTML page that needs no other file and no network."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree  # nosec B405 # reads the figures of this run

from jinja2 import Environment, PackageLoader, StrictUndefined

from reproduction.claims.check import counts
from reproduction.fraud.fraud_data import FraudData
from reproduction.files import atomic_path
from reproduction.records import without_folders
from reproduction.report import origin
from reproduction.report.captions import caption_html
from reproduction.report.claims import (
    CLAIMS,
    by_figure,
    findings,
    read_claims,
)
from reproduction.report.corrections import PANELS, effects
from reproduction.report.labels import Labels, sentence, typeset
from reproduction.report.results import Results
from reproduction.report.rounding import is_number, readable
from reproduction.report.small_tables import readable_tables
from reproduction.settings import Config

__all__ = ["ReportFigure", "write_report"]

_FORMATS = ("pdf", "png", "svg")
_SCREEN_SCALE = 1.25  # figures have the size of a printed page, which is read more closely
_PIXELS_PER_POINT = 4 / 3


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the results and its description in the report.

    Attributes
    ----------
    name : str
        Name of the files ``figures/<name>.{pdf,png,svg}`` in the results folder.
    title, category : str
    caption : path
        Jinja2 template in reStructuredText.
    tables : sequence of str
        Names of the tables from which it is drawn, and of others on the same subject.
    """

    name: str
    title: str
    category: str
    caption: str | Path
    tables: Sequence[str] = ()

    def files(self, results: Results) -> dict[str, Path]:
        folder = results.folder / "figures"
        return {suffix: folder / f"{self.name}.{suffix}" for suffix in _FORMATS}


def write_report(
    path: str | Path,
    *,
    config: Mapping[str, Any],
    figures: Sequence[ReportFigure],
    tables: Iterable[str | Path],
) -> None:
    """Write the report of a run as one HTML file to its results folder.

    The same files in the results folder give the same bytes; the time of writing is not part of
    the report. Run times and memory, from ``benchmarks/``, differ if jobs run again.

    Parameters
    ----------
    path : path
        The file to write. Its folder is the results folder; ``figures/``, ``benchmarks/``,
        ``logs/``, ``provenance.json`` and ``intermediate/fraud/data.json`` in this folder are read
        too.
    config : mapping
        The configuration in Snakemake's format.
    figures : sequence of ReportFigure
    tables : iterable of path
        The tables of the run, including ``tables/paper_vs_ours.csv``.

    Raises
    ------
    FileNotFoundError
        If files are missing; the message names them.
    ValueError
        If a table, a caption, a figure, a benchmark, ``provenance.json`` or the description of
        the fraud data is malformed; the message names the file.
    """
    results = Results(Path(path).parent, tables)
    figures = sorted(figures, key=_place_in_paper)
    settings = Config.model_validate(config)
    shown_config = without_folders(config)
    files = [*results.tables.values()]
    files += [file for figure in figures for file in figure.files(results).values()]
    results.check_present(files)

    made = origin.read_origin(results)
    files = origin.file_records(results, files)
    fraud = _fraud_data(results)
    labels = Labels(settings)
    claims = read_claims(results, labels)
    beneath = by_figure(claims, figures)
    html = _TEMPLATES.get_template("template.html").render(
        title="Master your Metrics with Calibration, reproduced",
        date=origin.newest_change(results.tables.values()),
        seed=settings.seed,
        fraud=fraud,
        ranking=_ranking(results, settings),
        corrections=effects(results),
        claims=claims,
        claims_file=results.relative(results.tables[CLAIMS]),
        claims_of_figures=beneath,
        figure_of={claim.id: name for name, each in beneath.items() for claim in each},
        findings=findings(claims),
        counts=counts(results.table(CLAIMS, ["origin", "verdict"])).itertuples(),
        categories=_by_category(figures, results, shown_config),
        tables=readable_tables(results, labels),
        configuration=origin.as_yaml(shown_config),
        versions_of_jobs=origin.versions_of_jobs(results.folder / "logs"),
        versions_of_report=origin.versions_of_report(),
        inputs=origin.input_records(results, settings, fraud),
        files=files,
        made=made,
        changed=made.changed(files),
        unrecorded=made.unrecorded(files),
        uses=origin.use_by_rule(results.folder / "benchmarks"),
    )
    with atomic_path(path) as temporary:
        temporary.write_text(html, encoding="utf-8", newline="\n")


# ------------------------------------------------------------------------------------- summary


def _fraud_data(results: Results) -> FraudData:
    path = results.folder / "intermediate" / "fraud" / "data.json"
    results.check_present([path])
    try:
        return FraudData.read(path)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{results.relative(path)} is not a description of fraud data: {error}"
        ) from error


def _ranking(results: Results, settings: Config) -> dict[str, Any]:
    """Return the source of the ranked models, and the numbers of used tasks and of each matrix."""
    ranking: dict[str, Any] = {
        "title": settings.ranking.title,
        "source": settings.ranking.source,
        "conventions": settings.ranking.conventions,
        "n_wanted": None,
    }
    if "ranking_tasks" in results:
        outcomes = results.table("ranking_tasks", ["outcome"])["outcome"]
        ranking |= {"n_wanted": len(outcomes), "n_used": int((outcomes == "used").sum())}
    ranking["matrices"] = [
        (title, results.table(name, ["n_tasks_of_panel"])["n_tasks_of_panel"].astype(int).max())
        for panel, title in PANELS.items()
        if (name := f"rank_correlation_{panel}") in results
    ]
    return ranking


# ------------------------------------------------------------------------------------- figures


def _by_category(
    figures: Sequence[ReportFigure], results: Results, config: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """Return the figures for the template by category."""
    categories: dict[str, list[dict[str, Any]]] = {figure.category: [] for figure in figures}
    for figure in figures:
        categories[figure.category].append(_template_values(figure, results, config))
    return categories


def _place_in_paper(figure: ReportFigure) -> tuple[int, int]:
    """Return a sort key: figures of the paper, of the arXiv version, then without a number."""
    numbered = re.match(r"(arXiv )?(?:Figure|Table) (\d+)", figure.title)
    if numbered is None:
        return 2, 0
    return (1 if numbered[1] else 0), int(numbered[2])


def _template_values(
    figure: ReportFigure, results: Results, config: Mapping[str, Any]
) -> dict[str, Any]:
    files = figure.files(results)
    width, height = _size_on_screen(files["svg"])
    sources = [results.tables[name] for name in figure.tables if name in results]
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": caption_html(figure.caption, config),
        "image": _data_uri(min(files["png"], files["svg"], key=lambda file: file.stat().st_size)),
        "width": width,
        "height": height,
        "files": [results.relative(file) for file in (*files.values(), *sources)],
    }


def _size_on_screen(svg: Path) -> tuple[int, int]:
    try:
        _, root = next(ElementTree.iterparse(svg, events=["start"]))  # nosec B314
        points = [float(root.attrib[side].removesuffix("pt")) for side in ("width", "height")]
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise ValueError(f"figures/{svg.name} has no size in points: {error!r}") from error
    width, height = (round(side * _PIXELS_PER_POINT * _SCREEN_SCALE) for side in points)
    return width, height


def _data_uri(image: Path) -> str:
    kind = {".png": "image/png", ".svg": "image/svg+xml"}[image.suffix]
    return f"data:{kind};base64,{base64.b64encode(image.read_bytes()).decode('ascii')}"


# ------------------------------------------------------------------------------------ template


def _anchor(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def _size_of_file(n_bytes: int) -> str:
    for unit in ("B", "kB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} MB"


_TEMPLATES = Environment(
    loader=PackageLoader("reproduction.report", package_path=""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters |= {
    "anchor": _anchor,
    "readable": readable,
    "seconds": "{:,.1f}".format,
    "sentence": sentence,
    "size_of_file": _size_of_file,
    "typeset": typeset,
    "whole": "{:,.0f}".format,
}
_TEMPLATES.tests |= {"number": is_number}
