"""Functions of labels and scores; their docstrings are built from those of the metrics."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from numpy.typing import ArrayLike

__all__ = ["Rows", "documented", "documented_curve"]

Rows: TypeAlias = tuple[ArrayLike, ArrayLike, Any, ArrayLike | None]
"""The arguments y_true, y_score or y_pred, pos_label and sample_weight of all functions."""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Score: TypeAlias = Callable[..., Any]

_PARAMETERS = {
    "y_true": """array-like of shape (n_rows,)
    Binary labels of any type.""",
    "y_score": """array-like of shape (n_rows,)
    Finite scores; a higher score is more likely positive.""",
    "y_pred": """array-like of shape (n_rows,)
    Predicted labels, of the same two values as `y_true`.""",
    "pi0": """None, float in (0, 1) or array-like of shape (n_priors,), default=None
    Reference prior (prevalence); None is the prior of the data. An array gives one value per
    prior.""",
    "pos_label": """scalar, default=1
    Label of the positive class.""",
    "sample_weight": """array-like of shape (n_rows,), default=None
    Non-negative weights; rows of weight 0 are dropped.""",
    "zero_division": """"warn", 0, 1 or nan, default="warn"
    Value where the metric is undefined; "warn" chooses one, with an `UndefinedMetricWarning`.""",
}
_RAISES = """ValueError, TypeError
    For labels that are not binary, scores, weights or options outside their range, different
    lengths, empty input, or if a class that the metric or `pi0` needs is absent."""


def documented(score: _Score) -> Callable[[_Function], _Function]:
    """Complete a docstring of examples with the text of the metric and the parameters."""
    sections = _sections(inspect.getdoc(score) or "")
    entries = re.findall(
        r"^(\w+)[^:\n]* : (.*?)(?=^\w|\Z)", sections.get("Parameters", ""), _BLOCKS
    )
    sections["Returns"] = re.sub(
        r"^float( or ndarray of shape \(n_matrices,\),)? ?",
        "float or ndarray of shape (n_priors,), ",
        sections["Returns"],
    )

    def fill(function: _Function) -> _Function:
        _document(function, {**sections, "Examples": inspect.getdoc(function) or ""}, dict(entries))
        return function

    return fill


def documented_curve(function: _Function) -> _Function:
    """Insert the parameters into the docstring of a curve."""
    pi0 = """None or float in (0, 1), default=None
    Reference prior (prevalence); None is the prior of the data."""
    _document(function, _sections(inspect.getdoc(function) or ""), {"pi0": pi0})
    return function


_BLOCKS = re.MULTILINE | re.DOTALL


def _document(
    function: Callable[..., Any], sections: dict[str, str], described: dict[str, str]
) -> None:
    described = {**_PARAMETERS, **described}
    names = inspect.signature(function).parameters
    sections["Parameters"] = "\n".join(f"{name} : {described[name].strip()}" for name in names)
    sections["Raises"] = _RAISES
    order = ("", "Parameters", "Returns", "Raises", "See Also", "Notes", "References", "Examples")
    function.__doc__ = "\n\n".join(
        f"{title}\n{'-' * len(title)}\n{sections[title]}" if title else sections[title]
        for title in order
        if title in sections
    )


def _sections(docstring: str) -> dict[str, str]:
    """Sections of a docstring by their titles; the text before the first one is that of ""."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", docstring, flags=re.M)
    return {title: text.strip() for title, text in zip(["", *parts[1::2]], parts[::2], strict=True)}
