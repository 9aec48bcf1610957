"""Registration of claims; their tolerances, requirements and verdicts.

A claim is a function. Its parameters are the tables that it reads, by name; its docstring is the
statement that the table of claims shows; it returns our value. A loop registers similar claims:
what differs is a parameter with a default, which the docstring can name in braces. For example, ::

    figure_4 = partial(claim, "S", "Figure 4")

    for metric, value in {AUC_PR: 0.547, AUC_PR_GAIN: 0.103, F1: 0.667}.items():

        @figure_4(value, read_off(0.005), name=f"fig4-{metric.name}-balanced")
        def fig4_balanced(pi_sweep, metric=metric):
            '''{metric.label} at π = 0.5'''
            return mean_at(pi_sweep, "prior", 0.5, metric)

registers the claims "S-fig4-auc-pr-balanced" and so on.
"""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import reduce
from numbers import Integral
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

import numpy as np
from pydantic import BaseModel

from reproduction.claims.lookup import DamagedError, UnavailableError
from reproduction.settings import Config

if TYPE_CHECKING:
    import pandas as pd

    from reproduction.fraud.fraud_data import FraudData

FRAUD_ROWS, FRAUDS = 284_807, 492
"""Numbers of rows and of frauds in the fraud data of Kaggle and OpenML."""

ORIGINS = {
    "S": "papers",  # Siblini et al.
    "DG": "papers",  # Davis & Goadrich
    "CC": "papers",  # the note on calibrated classifiers
    "A": "the authors' code and scores",  # what we found in those of Siblini et al.
    "H": "the handbook",
    "ours": "ours",
}
"""Whose claims they are, by source."""


class Verdict(StrEnum):
    """Verdict of a run on a claim."""

    HOLDS = "holds"
    DIFFERS = "differs"
    NEEDS_NETWORK = "needs network data"
    CANNOT_BE_CHECKED = "cannot be checked with this data"


# ------------------------------------------------------------------------------------ tolerance


@dataclass(frozen=True)
class Tolerance:
    """Largest allowed difference from the published number, and the reason for its size."""

    size: float | None
    origin: str


EXACT = Tolerance(1e-9, "exact")
QUALITATIVE = Tolerance(None, "qualitative")


def printed(decimals: int) -> Tolerance:
    """Return half a unit of the last decimal that the source prints."""
    unit = 10.0**-decimals
    return Tolerance(unit / 2, f"printed to {unit:g}")


def read_off(size: float, *, chance: float = 0.0) -> Tolerance:
    """Return the tolerance of a number read off a figure; `chance` is added for random error."""
    origin = f"read off the figure to {size:g}"
    if chance:
        origin += f", plus {chance:g} for four standard errors of a mean over 30 runs"
    return Tolerance(size + chance, origin)


@dataclass(frozen=True)
class Bound:
    """The source only gives a limit of a number."""

    limit: float
    sign: ClassVar[str]

    def __str__(self) -> str:
        return f"{self.sign} {self.limit:g}"


class Above(Bound):
    """The number exceeds the limit."""

    sign = ">"


class AtMost(Bound):
    """The number does not exceed the limit by more than the tolerance."""

    sign = "<="


VISIBLE = 0.01
"""A change that a reader of a figure sees, where the source only says that there is one."""


@dataclass(frozen=True)
class KnownGap:
    """A difference that has been explained: our value, its tolerance and the reason."""

    ours: float
    within: float
    reason: str


# ------------------------------------------------------------------- requirements of a claim


@dataclass(frozen=True)
class Context:
    """Settings (the output of `catalogue.settings_of`) and fraud data of a run of the pipeline."""

    settings: Mapping[str, Any]
    fraud: FraudData


class Data(Enum):
    """External data that a claim is about."""

    NONE = "none"
    FRAUD = "the fraud data of Kaggle or OpenML 1597"
    OPENML = "predictions from openml.org"
    STORED_SCORES = "the authors' stored scores"

    def stand_in(self, context: Context) -> str | None:
        """Return what the run used instead; None if it used the data."""
        if self is Data.FRAUD:
            fraud = context.fraud
            # A file with almost all rows is the fraud data, perhaps damaged; another is a sample.
            is_complete = abs(fraud.n_rows - FRAUD_ROWS) <= 0.01 * FRAUD_ROWS
            if fraud.source in ("kaggle", "openml") or (fraud.source == "file" and is_complete):
                return None
            return f"{fraud.name}, {fraud.n_rows:,} rows with {fraud.n_frauds:,} frauds"
        source = {Data.OPENML: "openml", Data.STORED_SCORES: "published"}.get(self)
        used = context.settings["ranking.source"]
        if source not in (None, used):
            return f"models of the source {used!r}"
        server = urlsplit(context.settings["ranking.openml.server"]).hostname or ""
        if self is Data.OPENML and server.removeprefix("www.") != "openml.org":
            return f"models from the server {server}"
        return None


SETTINGS_OF_DATA = ("ranking.source", "ranking.openml.server")


@dataclass(frozen=True)
class Need:
    """A requirement of a claim on a setting. If it is not met, the claim cannot be checked."""

    setting: str
    wanted: str
    is_met: Callable[[Any], bool]

    def lack(self, settings: Mapping[str, Any]) -> str | None:
        value = settings[self.setting]
        if self.is_met(value):
            return None
        lack = f"needs {self.setting} {self.wanted}"
        return lack if isinstance(value, list | dict) else f"{lack}, this run has {value}"


def setting_of(config: Config, name: str) -> Any:
    """Return the plain value of a setting by its dotted name, such as "pi_sweep.n_runs"."""
    value = reduce(getattr, name.split("."), config)
    return value.model_dump() if isinstance(value, BaseModel) else value


def at_least(setting: str, least: float) -> Need:
    return Need(setting, f"to be at least {least:,}", lambda value: value >= least)


def equal(setting: str, wanted: Any) -> Need:
    return Need(setting, f"to be {wanted}", lambda value: value == wanted)


def as_by_default(section: str, *names: str) -> tuple[Need, ...]:
    """Require that settings of a section, or the whole section, have their default values."""
    settings = [f"{section}.{name}" for name in names] or [section]
    defaults = {setting: setting_of(Config(), setting) for setting in settings}
    return tuple(
        Need(setting, "to have its default value", lambda value, default=default: value == default)
        for setting, default in defaults.items()
    )


# ---------------------------------------------------------------------------------- claims


@dataclass(frozen=True)
class Claim:
    """A statement of a source that a run can check."""

    id: str
    source: str  # a key of `ORIGINS`
    place: str  # figure, table or section of the source
    statement: str
    published: float | bool | Bound  # a bool says whether the statement is true
    tolerance: Tolerance
    # Returns our value from the tables of `reads`; `UnavailableError` if they do not have it.
    function: Callable[..., float | bool]
    reads: tuple[str, ...] = ()
    data: Data = Data.NONE  # if the run used other data: "needs network data"
    needs: tuple[Need, ...] = ()  # if one is not met: "cannot be checked with this data"
    known_gap: KnownGap | None = None  # any other difference is a failure
    headline: bool = False  # whether this is one of the few claims that a summary shows

    def agrees(self, ours: float | bool) -> bool:
        if isinstance(self.published, bool) or isinstance(ours, bool):
            return ours is self.published
        if not math.isfinite(ours):
            return False
        if isinstance(self.published, Above):
            return ours > self.published.limit
        if isinstance(self.published, AtMost):
            return ours <= self.published.limit + (self.tolerance.size or 0.0)
        # The factor accepts 0.8125 for 0.813, whose difference exceeds 0.0005 by rounding.
        return abs(ours - self.published) <= self.tolerance.size * (1 + 1e-9)

    def differs_as_known(self, ours: float | bool) -> bool:
        gap = self.known_gap
        return gap is not None and abs(ours - gap.ours) <= gap.within


_CLAIMS: dict[str, list[Claim]] = defaultdict(list)  # by the module that registers them


def claim(
    source: str,
    place: str,
    published: float | bool | Bound,
    tolerance: Tolerance | None = None,
    *,
    name: str | None = None,
    **options: Any,
) -> Callable[[Callable], Callable]:
    """Register the decorated function as a claim.

    By default, the tolerance of a number is `EXACT`, that of a bound or a bool `QUALITATIVE`, and
    `name`, the id after the source, is the name of the function with hyphens. Further options are
    `data`, `needs`, `known_gap` and `headline` (see `Claim`).
    """
    if tolerance is None:
        tolerance = QUALITATIVE if isinstance(published, bool | Bound) else EXACT

    def register(function: Callable) -> Callable:
        identifier = f"{source}-{name or function.__name__.replace('_', '-')}"
        parameters = inspect.signature(function).parameters.values()
        fixed = {each.name: each.default for each in parameters if each.default is not each.empty}
        statement = " ".join(function.__doc__.format(**fixed).split())
        reads = tuple(each.name for each in parameters if each.name not in fixed)
        made = Claim(
            identifier, source, place, statement, published, tolerance, function, reads, **options
        )
        _CLAIMS[function.__module__].append(made)
        return function

    return register


def claims_of(*modules: ModuleType) -> tuple[Claim, ...]:
    """Return the claims that the modules register, in their order."""
    return tuple(each for module in modules for each in _CLAIMS[module.__name__])


# ---------------------------------------------------------------------------------- verdicts


def judged(claim: Claim, tables: Mapping[str, pd.DataFrame], context: Context) -> dict[str, Any]:
    """Return the row of a claim in the table: our value, the verdict and its reason."""
    ours, lack, is_damaged = None, _unmet_need(claim, context), False
    if lack is None:
        try:
            ours, lack = _ours(claim, tables)
        except DamagedError as error:
            lack, is_damaged = str(error), True
    verdict, reason, expected = _verdict(claim, ours, lack, is_damaged, context)
    return {
        "id": claim.id,
        "source": claim.source,
        "origin": ORIGINS[claim.source],
        "place": claim.place,
        "statement": claim.statement,
        "paper_value": _plain(claim.published),
        "ours": ours,
        "tolerance": claim.tolerance.size,
        "tolerance_from": claim.tolerance.origin,
        "verdict": str(verdict),
        "reason": reason,
        "expected": expected,
        "tables": " ".join(claim.reads),
        "headline": claim.headline,
    }


def _unmet_need(claim: Claim, context: Context) -> str | None:
    return next(filter(None, (need.lack(context.settings) for need in claim.needs)), None)


def _ours(claim: Claim, tables: Mapping[str, pd.DataFrame]):
    """Return our value and None, or None and the reason why this run has no value.

    Raises
    ------
    DamagedError
        If a table is damaged, or our value is NaN.
    """
    for name in claim.reads:
        if name not in tables:
            return None, f"this run has no table {name}"
        if tables[name].empty:
            return None, f"the table {name} is empty"
    try:
        ours = _plain(claim.function(*(tables[name] for name in claim.reads)))
    except UnavailableError as error:
        return None, str(error)
    except Exception as error:
        error.add_note(f"claim {claim.id}")
        raise
    if math.isnan(ours):
        raise DamagedError("our value is undefined (NaN)")
    return ours, None


def _plain(value):
    """Return a value as a Python object, which CSV files store as the shortest text."""
    if isinstance(value, Bound):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return int(value) if isinstance(value, Integral) else float(value)


def _verdict(
    claim: Claim, ours: float | bool | None, lack: str | None, is_damaged: bool, context: Context
) -> tuple[Verdict, str, bool]:
    """Return the verdict, its reason, and whether the registry expects it."""
    stand_in = claim.data.stand_in(context)
    if stand_in is not None:
        reason = f"needs {claim.data.value}; this run used {stand_in}"
        return Verdict.NEEDS_NETWORK, reason, True
    if lack is not None:
        return Verdict.CANNOT_BE_CHECKED, lack, not is_damaged
    if claim.agrees(ours):
        return Verdict.HOLDS, "", True
    if claim.differs_as_known(ours):
        return Verdict.DIFFERS, claim.known_gap.reason, True
    if claim.known_gap is not None:
        return Verdict.DIFFERS, f"differs from the known value {claim.known_gap.ours:g}", False
    return Verdict.DIFFERS, "the claim is expected to hold", False
