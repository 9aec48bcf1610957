"""The page of the validation: checks and figures with captions."""

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
        samples={part: int(table["n_samples"].max()) for part, table in tables.items()},
    )
    return judged, html, *(figures.draw(part, table) for part, table in tables.items())
