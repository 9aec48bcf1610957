"""Write the page of the validation: checks, figures with captions, and summaries of coverage."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, FileSystemLoader, select_autoescape

from validation import checks, figures

mpl.use("agg")


def write(tables: Mapping[str, pd.DataFrame], results: Path) -> None:
    """Write checks.csv, the figures and validation.html."""
    judged = checks.judged(tables)
    folder = results / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        figure = figures.draw(name, table)
        figure.savefig(folder / f"{name}.png")
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        figures.plt.close(figure)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=select_autoescape()
    )
    page = environment.get_template("template.html").render(
        checks=judged.to_dict("records"),
        samples={part: int(table["n_samples"].max()) for part, table in tables.items()},
        summaries={part: summary(table).to_dict("records") for part, table in tables.items()},
    )
    (results / "validation.html").write_text(page, encoding="utf-8")
    judged.to_csv(results / "checks.csv", index=False)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Lowest and mean coverage, and median width, by kind of rows, metric, part and estimate."""
    table = table.rename(columns={"coverage": "covered"})
    keys = [key for key in ("rows", "metric", "part", "estimate") if key in table]
    if "covered" not in table:
        return pd.DataFrame()
    width = table["width"] / table["needed_width"] if "width" in table else float("nan")
    groups = table.assign(relative_width=width).groupby(keys, sort=False)
    return groups.agg(
        designs=("covered", "size"),
        least=("covered", "min"),
        mean=("covered", "mean"),
        relative_width=("relative_width", "median"),
    ).reset_index()
