"""Decorators that give functions of labels the signature and docstring of a metric.

The keywords that all these functions share are those of a form, such as `of_ranking`, which builds
the curve or matrix. They are written once more here, as types for type checkers.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from numpy.typing import ArrayLike

from calibrated_metrics import _checks

__all__ = ["Decisions", "Rows", "RowsOfCurve", "curve_function", "metric_function", "signature_of"]

ZeroDivision: TypeAlias = Literal["warn"] | float
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Score: TypeAlias = Callable[..., Any]


class RowsOfCurve(TypedDict, total=False):
    """Keywords of the functions of a curve; defaults are those of `_curve_of`."""

    pi0: float | None
    pos_label: Any
    sample_weight: ArrayLike | None


class Rows(TypedDict, total=False):
    """Keywords of all functions of a metric; defaults are those of `of_ranking`."""

    pi0: float | ArrayLike | None
    pos_label: Any
    sample_weight: ArrayLike | None


class Decisions(Rows, total=False):
    """Keywords of a metric that may be undefined; defaults are those of `of_decision`."""

    zero_division: ZeroDivision


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


def metric_function(score: _Score, form: _Score) -> Callable[[_Function], _Function]:
    """Give a function, whose docstring holds examples, the rest of its docstring and signature.

    The text is that of the metric `score`; the keywords and their defaults are those of `form`.
    Errors for other keywords say what to write instead.
    """
    sections = _sections(inspect.getdoc(score) or "")
    # "beta : float > 0", and the indented lines below it.
    entry = re.compile(r"^(\w+)[^:\n]* : (.*?)(?=^\w|\Z)", re.MULTILINE | re.DOTALL)
    entries = entry.findall(sections.get("Parameters", ""))
    sections["Returns"] = re.sub(
        r"^float( or ndarray of shape \(n_matrices,\),)? ?",
        "float or ndarray of shape (n_priors,), ",
        sections["Returns"],
    )

    def fill(function: _Function) -> _Function:
        texts = {**sections, "Examples": inspect.getdoc(function) or ""}
        return _complete(function, form, texts, dict(entries))

    return fill


def curve_function(form: _Score) -> Callable[[_Function], _Function]:
    """Give a function, whose docstring lacks parameters, those of `form`, and its signature."""
    pi0 = """None or float in (0, 1), default=None
    Reference prior (prevalence); None is the prior of the data."""

    def fill(function: _Function) -> _Function:
        return _complete(function, form, _sections(inspect.getdoc(function) or ""), {"pi0": pi0})

    return fill


def signature_of(form: _Score, own: Iterable[inspect.Parameter]) -> inspect.Signature:
    """Signature of a function with its own parameters, and the keywords of its form."""
    listed = [each for each in own if each.kind is not each.VAR_KEYWORD]
    of_form = inspect.signature(form).parameters.values()
    return inspect.Signature(
        [*listed, *(each for each in of_form if each.kind is each.KEYWORD_ONLY)]
    )


def _complete(
    function: _Function, form: _Score, sections: dict[str, str], described: dict[str, str]
) -> _Function:
    described = {**_PARAMETERS, **described}
    signature = signature_of(form, inspect.signature(function).parameters.values())
    function.__signature__ = signature  # type: ignore[attr-defined]
    sections["Parameters"] = "\n".join(
        f"{name} : {described[name].strip()}" for name in signature.parameters
    )
    sections["Raises"] = _RAISES
    order = ("", "Parameters", "Returns", "Raises", "See Also", "Notes", "References", "Examples")
    function.__doc__ = "\n\n".join(
        f"{title}\n{'-' * len(title)}\n{sections[title]}" if title else sections[title]
        for title in order
        if title in sections
    )
    return _checks.plain_calls()(function)  # type: ignore[return-value]


def _sections(docstring: str) -> dict[str, str]:
    """Sections of a docstring by their titles; the text before the first one is that of ""."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", docstring, flags=re.M)
    return {title: text.strip() for title, text in zip(["", *parts[1::2]], parts[::2], strict=True)}
