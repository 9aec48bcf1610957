"""The page of the validation: checks and figures with captions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Template

from validation import checks, figures


def made(**tables: pd.DataFrame) -> tuple[Any, ...]:
    """The judged checks, the page as HTML, and the figure of each table."""
    judged = checks.judged(tables, checks.CHECKS)
    template = Path(__file__).with_name("template.html").read_text(encoding="utf-8")
    html = Template(template).render(
        checks=judged.to_html(index=False, border=0, float_format="{:.3g}".format, na_rep=""),
        not_given=not_given(tables).to_html(border=0, float_format="{:.1f}".format, na_rep=""),
        samples={part: int(table["n_samples"].max()) for part, table in tables.items()},
    )
    return (
        judged,
        checks.wide(tables),
        html,
        *(figures.draw(part, table) for part, table in tables.items()),
    )


def not_given(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Percentage of samples without an interval, or with a doubtful one, by part and rows."""
    columns = ["refused", "withheld", "doubted"]
    of_part = {
        part: 100 * table.reindex(columns=columns).groupby(table["rows"]).mean()
        for part, table in tables.items()
        if "rows" in table
    }
    return pd.concat(of_part, names=["part"]).dropna(how="all")
