"""The same data through every door: equal to the plain NumPy call, or refused by name.

`doors.py` finds the public functions that take rows by their signatures. Each test is one function
and one kind of data, such as Series of another index; its cells are the arguments and containers.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import math
import pickle
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from doors import DATA, FRAMES, LABELS, METRICS, SCORES, UNITS, Door, N, doors

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, displays, label_errors
from calibrated_metrics.uncertainty import Estimate, interval

DOORS = {door.name: door for door in doors()}
PLACE = 4  # of the row that is missing or misspelt

AT_A_THRESHOLD = {
    r"(planning|uncertainty.p_value|comparison.explain_changes|displays.ChangeDisplay).* at 0.7": (
        "it takes long, and average precision has the same columns"
    )
}
LEFT_OUT = {  # kind: {door and column: reason}
    "index": {
        r".* (frame|table)/": "the columns of a frame have one index",
        r"scorers.scorer.* (X|y|y_true)$": "scikit-learn selects rows of X and y by position",
        **AT_A_THRESHOLD,
    },
    "float32": {
        r".* X": "the dtype of X is a matter of the model",
        r".* table/": "a table is no container; test_tables.py reads files of float32",
    },
    "pos_label": {
        r"classifiers.*": "pos_label is an argument of the constructor",
        **AT_A_THRESHOLD,
    },
    **dict.fromkeys(("decimals", "position", "copies", "pair_and_curve"), AT_A_THRESHOLD),
    "no pos_label": {
        r"displays.*from_(estimator|cv).*": "None is the second class, which the axis names"
    },
    "misspelt": {
        r"classifiers.*": "pos_label is an argument of the constructor",
        r"multiclass.*": "every label is a class",
        r"displays.(Change|.*from_estimator|.*from_cv).*": "a gap, with a test of its own",
    },
    "missing": {
        r"displays.ChangeDisplay.*": "a period that cannot be measured is a gap of the line",
        r".* table/": "missing values of tables have tests in test_tables.py",
        r"comparison.by_group.* frame/by": "missing values form a group of their own",
        r"label_errors.* reference reference": "people did not label these rows",
        **AT_A_THRESHOLD,
    },
}


# ------------------------------------------------------------ cells
@dataclass(frozen=True)
class Cell:
    """A call, what it must give, and the names of which its error message must have one."""

    what: str
    call: Callable[[], Any]
    expected: Callable[[], list[Any] | None]
    names: frozenset[str] = frozenset()
    may_be_refused: bool = False
    tolerance: float = 1e-12
    word: str = ""  # that the message must have as well

    def fault(self) -> str | None:
        """What is wrong, or None."""
        try:
            expected = self.expected()
        except Exception as error:
            return f"{self.what}: the plain call: {type(error).__name__}: {error}"
        may_be_refused = self.may_be_refused or expected is None
        try:
            result = self.call()
        except (TypeError, ValueError) as error:
            message = str(error)
        except Exception as error:  # which tells a user nothing
            return f"{self.what}: {type(error).__name__}: {error}"
        else:
            message = refused_groups(result) if may_be_refused else ""
            if not message:
                return self._unequal(leaves(result), expected)
        if not may_be_refused:
            return f"{self.what}: refused: {message}"
        if not self.names & set(re.split(r"\W+", message)) or self.word not in message:
            return f"{self.what}: none of {sorted(self.names)} in: {message}"
        return None

    def _unequal(self, found: list[Any], expected: list[Any] | None) -> str | None:
        if expected is None:
            return f"{self.what}: accepted"
        pairs = zip(found, expected, strict=False)
        unequal = [pair for pair in pairs if not equal(*pair, self.tolerance)]
        if unequal or len(found) != len(expected):
            return f"{self.what}: {len(found)} for {len(expected)} values, {unequal[:2]}"
        return None


def refused_groups(result: Any) -> str:
    """Why groups of a table have no values, if there is another group that has."""
    if isinstance(result, list) and result and isinstance(result[0], Mapping):
        result = pd.DataFrame(result)
    if not isinstance(result, pd.DataFrame) or "status" not in result:
        return ""
    statuses = set(result["status"])
    return " ".join(sorted(statuses - {"ok"})) if "ok" in statuses else ""


def equal(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return one == other


def leaves(found: Any) -> list[Any]:
    """The numbers and texts of a result, as one list."""
    if hasattr(found, "at_prior"):
        return leaves_of_data(found)
    if isinstance(found, pl.DataFrame | pa.Table):
        found = found.to_pandas()
    if isinstance(found, pd.DataFrame):  # `n_pos` and `n_neg` also count rows of weight 0
        found = found.drop(columns=["n_pos", "n_neg"], errors="ignore").to_dict("list")
    if hasattr(found, "predict"):
        return leaves([found.predict(np.linspace(0, 1, 9)[:, np.newaxis]), found.classes_])
    if isinstance(found, Mapping):
        return [each for key in sorted(found, key=str) for each in (str(key), *leaves(found[key]))]
    if is_dataclass(found):
        compared = (each.name for each in fields(found) if each.compare and each.name[0] != "_")
        return [leaf for name in compared for leaf in leaves(getattr(found, name))]
    if isinstance(found, np.ndarray):
        return leaves(found.tolist())
    if isinstance(found, tuple | list):
        return [leaf for each in found for leaf in leaves(each)]
    if isinstance(found, bool | np.bool_ | int | np.integer | float | np.floating):
        return [float(found)]
    return [str(found)]


def leaves_of_data(data: Any) -> list[Any]:
    """Counts, and limits of intervals, which depend on the units of the rows."""
    found = []
    for name in ("thresholds", "tp", "fp", "fn", "tn"):
        with contextlib.suppress(AttributeError, ValueError):  # labels with errors have none
            found += leaves(getattr(data, name))
    for metric in METRICS.values():
        try:
            found += leaves(interval(metric, data, rng=0, n_resamples=20))
        except (TypeError, ValueError) as error:
            found.append(str(error))
    return found


# ------------------------------------------------------------ doors and their columns
def kind_of(key: str) -> str:
    """`y_true` of ``before/y_true``."""
    return key.rpartition("/")[2]


def names_of(*keys: str) -> frozenset[str]:
    """Names of an argument: the column, and the pair or frame that holds it."""
    names = frozenset(part for key in keys for part in key.split("/"))
    return names | {"y_true"} if "y" in names else names  # as scikit-learn calls it in scores


def in_frame(key: str) -> bool:
    return key.partition("/")[0] in FRAMES


def left_out(kind: str, door: Door, key: str = "") -> bool:
    return any(re.match(each, f"{door.name} {key}") for each in LEFT_OUT.get(kind, ()))


def optional_of(door: Door) -> list[str]:
    return [key for key in door.columns if kind_of(key) in door.optional]


def data_of(door: Door) -> list[str]:
    """The arguments that are curves, matrices or pairs."""
    names = dict.fromkeys(key.partition("/")[0] for key in door.columns if "/" in key)
    return [each for each in names if each in DATA and each != "design"]


def built(door: Door, **options: Any) -> Door:
    """The door, with curves or matrices instead of pairs."""
    kind = ConfusionMatrix if any("y_pred" in key for key in door.columns) else ConfusionCurve
    return replace(door, form=partial(kind.from_predictions, **options))


def of_counts(y_true: Any, predicted: Any) -> ConfusionCurve | ConfusionMatrix:
    """The same rows as counts, which know no labels."""
    edges, place = np.unique(predicted, return_inverse=True)
    pos, neg = np.bincount(place, y_true), np.bincount(place, 1 - y_true)
    if predicted.dtype.kind == "f":
        return ConfusionCurve.from_counts(edges, pos, neg)
    return ConfusionMatrix(tp=pos[1], fp=neg[1], fn=pos[0], tn=neg[0])


def as_series(values: Any) -> Any:
    return pd.DataFrame(values) if np.ndim(values) == 2 else pd.Series(values)


def as_text(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The same columns, with class labels of text."""
    return {
        key: np.where(values == 1, "fraud", "clean") if kind_of(key) in LABELS else values
        for key, values in columns.items()
    }


@functools.cache
def result_of(door: str, key: str) -> list[Any]:
    return leaves(DOORS[door](DOORS[door].columns_with(key)))


def plain_of(door: Door, key: str = "") -> Callable[[], list[Any]]:
    """The result of the plain call, with one optional column."""
    return partial(result_of, door.name, key)


def refused() -> None:
    """What is expected of a call that must raise an error."""


def some_of(kinds: Mapping[str, Any], door: Door, key: str = "", n: int = 1) -> list[Any]:
    """Some of several kinds that are read alike, others for each door and column."""
    first = zlib.crc32(f"{door.name} {key}".encode())
    names = list(kinds)
    return [(name, kinds[name]) for name in (names[(first + i) % len(names)] for i in range(n))]


# ------------------------------------------------------------ kinds of data
def plain(door: Door) -> Iterator[Cell]:
    """The plain call gives a result, with each optional column."""
    for key in ("", *optional_of(door)):
        yield Cell(f"with {key or 'what is required'}", plain_of(door, key), plain_of(door, key))


def index(door: Door) -> Iterator[Cell]:
    """Series of pandas, some of which have their rows in another order."""
    required = {each: as_series(value) for each, value in door.columns_with().items()}
    if len(required) > 1:
        yield Cell("the same index", partial(door, required), plain_of(door))
    for key in door.columns:
        columns = {each: as_series(value) for each, value in door.columns_with(key).items()}
        others = [each for each in columns if door.rows_of(each) == door.rows_of(key)]
        if len(others) > 1 and not left_out("index", door, key):
            moved = {**columns, key: columns[key][::-1]}
            expected = plain_of(door, key)
            yield Cell(f"{key} in another order", partial(door, moved), expected,
                       names_of(key), may_be_refused=True, word="index")  # fmt: skip
            if key not in required:
                yield Cell(f"{key} of the same index", partial(door, columns), expected)
    for rows in (key.rpartition("/")[0] for key in required if kind_of(key) == "y_true"):
        if rows not in ("", *FRAMES, "design"):
            moved = {**required, **in_another_order(required, rows)}
            is_paired = bool(door.options.get("paired"))
            forms = {"pair": door, "curve": built(door)}
            for form, as_form in some_of(forms, door, rows, n=2 if is_paired else 1):
                yield Cell(f"all of {rows} in another order, as a {form}",
                           partial(as_form, moved), plain_of(door), names_of(rows),
                           may_be_refused=is_paired, word="index")  # fmt: skip


def in_another_order(columns: Mapping[str, Any], rows: str) -> dict[str, Any]:
    """All columns of these rows in another order, with the same label in each place."""
    labels = np.asarray(columns[f"{rows}/y_true"])
    order = np.arange(len(labels))
    for label in (0, 1):
        members = np.flatnonzero(labels == label)
        order[members] = members[::-1]
    return {key: columns[key].iloc[order] for key in columns if key.startswith(f"{rows}/")}


def float32(door: Door) -> Iterator[Cell]:
    """Scores of float32 in NumPy and a container: a threshold is compared in their precision."""
    for key, values in door.columns.items():
        if kind_of(key) not in SCORES or left_out("float32", door, key):
            continue
        narrow = {**door.columns_with(key), key: np.asarray(values, dtype=np.float32)}
        expected = functools.cache(partial(answer_of, door, narrow))
        yield Cell(f"{key} of NumPy", expected, plain_of(door, key), tolerance=1e-6)
        if np.ndim(values) == 1 and not in_frame(key):
            for name, container in some_of(CONTAINERS, door, key):
                changed = {**narrow, key: container(narrow[key])}
                yield Cell(f"{key} of {name}", partial(door, changed), expected, names_of(key),
                           may_be_refused=True)  # fmt: skip
        if in_frame(key):
            for name, container in some_of(FRAMES_OF, door, key):
                yield Cell(f"{key} of {name}", partial(door, narrow, container=container),
                           expected, names_of(key), may_be_refused=True)  # fmt: skip


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.Series,
    "pandas Float32": lambda values: pd.Series(values, dtype="Float32"),
    "pandas of Arrow": lambda values: pd.Series(values, dtype="float[pyarrow]"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "list": list,
}
FRAMES_OF: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.DataFrame,
    "pandas Float32": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas of Arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def weight_zero(door: Door) -> Iterator[Cell]:
    """Rows of weight 0 are dropped in every column."""
    for weight in (key for key in door.columns if kind_of(key) == "sample_weight"):
        for key in dict.fromkeys(("", *optional_of(door))):
            columns = {**door.columns_with(key), weight: door.columns[weight]}
            if "label_s" in key:  # weights are honoured only if they are equal
                columns[weight] = np.ones(len(columns[weight]))
            places = np.arange(0, len(columns[weight]), 5)
            more = {
                each: np.insert(values, places, values[::-1][places], axis=0)
                for each, values in columns.items()
            }
            more[weight] = np.insert(columns[weight], places, 0.0)
            yield Cell(f"with {key or 'no other column'}", partial(door, more),
                       partial(result_or_none, door, columns),
                       names_of(key, weight) | {"weights"})  # fmt: skip


def result_or_none(door: Door, columns: Mapping[str, Any]) -> list[Any] | None:
    """The result, or None if these columns are not possible together."""
    try:
        return leaves(door(columns))
    except (TypeError, ValueError):
        return None


def pos_label(door: Door) -> Iterator[Cell]:
    """A positive label is honoured, or refused if built data have another one."""
    columns, names = door.columns_with(), frozenset({"pos_label"})
    if "pos_label" not in door.parameters or not LABELS & {kind_of(each) for each in columns}:
        return
    text, expected = as_text(columns), plain_of(door)
    for name, label in some_of({"1": 1, "1.0": 1.0, "True": True}, door):
        yield Cell(name, partial(door, columns, pos_label=label), expected)
    yield Cell("text", partial(door, text, pos_label="fraud"), expected)
    if not left_out("no pos_label", door):
        yield Cell("text without pos_label", partial(door, text), refused, names)
    if data_of(door):
        curve, counts = built(door, pos_label="fraud"), replace(door, form=of_counts)
        yield Cell("curve of text", partial(curve, text), expected)
        yield Cell("curve, its label", partial(curve, text, pos_label="fraud"), expected)
        for label in ("clean", "Fraud", 1):
            yield Cell(f"curve, {label!r}", partial(curve, text, pos_label=label), refused,
                       names)  # fmt: skip
        for name, label in some_of({"1": 1, "text": "fraud"}, door):
            yield Cell(f"counts, {name}", partial(counts, columns, pos_label=label),
                       refused, names)  # fmt: skip
        if not any("y_pred" in key for key in columns):
            late = replace(door, form=partial(with_errors, pos_label="fraud"))
            yield Cell("labels with errors, 'clean'", partial(late, text, pos_label="clean"),
                       refused, names | {"label_sensitivity"})  # fmt: skip


def with_errors(y_true: Any, y_score: Any, rate: Any = 0.9, **options: Any) -> Any:
    return label_errors.from_predictions(y_true, y_score, label_sensitivity=rate, **options)


def position(door: Door) -> Iterator[Cell]:
    """Arguments by position: the same values, and the same checks of wrong data."""
    given = door.arguments(door.columns_with())
    first = [
        name
        for name, parameter in door.parameters.items()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and name in given
    ]
    rest = {name: value for name, value in given.items() if name not in first}

    def by_position(**changed: Any) -> Any:
        return door.function(*({**given, **changed}[name] for name in first), **rest)

    if list(door.parameters)[: len(first)] != first or not first:
        return
    yield Cell("right", by_position, plain_of(door))
    y_true, y_score = np.array([0, 1, 0]), np.array([0.1, 0.2, 0.3])
    wrong = {
        "text": "wrong",
        "a curve": of_counts(y_true, y_score),
        "a matrix": of_counts(y_true, np.array([1, 1, 0])),
    }
    for name in first if "metric" not in first else first[1:]:
        for kind, value in some_of(wrong, door, name):
            yield Cell(f"{name} is {kind}",
                       partial(answer, by_position, {name: value}),
                       partial(answer, door.function, {**given, name: value}))  # fmt: skip


def answer(function: Callable[..., Any], arguments: Mapping[str, Any]) -> list[Any]:
    """The result, or the error as text."""
    try:
        return leaves(function(**arguments))
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def misspelt(door: Door) -> Iterator[Cell]:
    """A label in another spelling, in each column and as the positive one."""
    text = as_text(door.columns_with())
    labels = [key for key in text if kind_of(key) in LABELS]
    if "pos_label" not in door.parameters:
        return
    for key in labels:
        wrong = np.array(text[key], dtype=object)
        wrong[PLACE] = "Fraud"
        yield Cell(key, partial(door, {**text, key: wrong}, pos_label="fraud"), refused,
                   names_of(key) | {"pos_label"})  # fmt: skip
    if labels:
        yield Cell("pos_label", partial(door, text, pos_label="Fraud"), refused,
                   frozenset({"pos_label"}))  # fmt: skip


def negatives(door: Door) -> Iterator[Cell]:
    """Negatives that have another label in one group, or in the second of two samples."""
    text, changed = as_text(door.columns_with()), []
    for key in [each for each in text if re.match("b/|after/|periods/1/|table/|frame/", each)]:
        if kind_of(key) in LABELS and "pos_label" in door.parameters:
            second = door.columns.get(f"{key.partition('/')[0]}/by", np.ones(N)) == 1
            text[key] = np.where(second & (text[key] == "clean"), "open", text[key])
            changed.append(key)
    for form in [door, built(door, pos_label="fraud")][: len(data_of(door)) + 1]:
        if changed:
            yield Cell(f"{changed}, {form.form}", partial(form, text, pos_label="fraud"), refused,
                       names_of(*changed), word="open")  # fmt: skip


def decimals(door: Door) -> Iterator[Cell]:
    """Decimal numbers, as databases return them."""
    for key, values in door.columns.items():
        if kind_of(key) in LABELS | UNITS or np.ndim(values) != 1 or np.isinf(values).any():
            continue
        exact = [Decimal(str(value)) for value in values.tolist()]
        for name, container in some_of({"list": list, "pandas": pd.Series}, door, key):
            changed = {**door.columns_with(key), key: container(exact)}
            yield Cell(f"{key}, {name}", partial(door, changed), plain_of(door, key),
                       names_of(key), may_be_refused=True)  # fmt: skip


def missing(door: Door) -> Iterator[Cell]:
    """Nullable columns: the same values, and an error for a missing one."""
    for key, values in door.columns.items():
        if np.ndim(values) != 1 or left_out("missing", door, key):
            continue
        columns, expected = door.columns_with(key), plain_of(door, key)
        place = PLACE % len(values)
        backends = {"nullable": "numpy_nullable", "Arrow": "pyarrow"}
        for name, backend in some_of(backends, door, key):
            whole = pd.Series(values).convert_dtypes(dtype_backend=backend)
            yield Cell(f"{key}, {name}", partial(door, {**columns, key: whole}), expected,
                       names_of(key), may_be_refused=True)  # fmt: skip
            gap = whole.copy()
            gap.iloc[place] = pd.NA
            yield Cell(f"{key}, {name}, one missing", partial(door, {**columns, key: gap}),
                       refused, names_of(key))  # fmt: skip
        listed = [*values[:place].tolist(), None, *values[place + 1 :].tolist()]
        yield Cell(f"{key}, list with None", partial(door, {**columns, key: listed}), refused,
                   names_of(key))  # fmt: skip


def column_order(door: Door) -> Iterator[Cell]:
    """Columns of a frame in another order."""
    columns, expected = door.columns_with(), plain_of(door)
    if any(in_frame(key) or key.startswith("design/") for key in columns):
        yield Cell("frame", partial(door, dict(reversed(columns.items()))), expected)
    for key, values in columns.items():
        if key == "y_score" and np.ndim(values) == 2:
            frame = pd.DataFrame(values)
            moved = frame[[2, 0, 1]]
            yield Cell("classes", partial(door, {**columns, key: moved}), expected)
            yield Cell("names of text", partial(door, {**columns, key: moved.rename(columns=str)}),
                       expected, frozenset({"classes", "y_score"}), True)  # fmt: skip


def copies(door: Door) -> Iterator[Cell]:
    """Copied and pickled curves, matrices, labels with errors, and metrics."""
    columns = door.columns_with()
    forms = {"data": door.form or built(door).form} if data_of(door) else {}
    if forms and door.form is None and not any("y_pred" in key for key in columns):
        rate = Estimate.normal(0.9, 0.02, bounds=(0, 1))  # one study of the labels of both samples
        forms["with errors"] = partial(with_errors, rate=rate)
    for kind, form in forms.items():
        built_data = replace(door, form=form)
        for name, copier in some_of(COPIERS, door, kind):
            copied = replace(door, form=lambda *pair, f=form, c=copier: c(f(*pair)))
            yield Cell(f"{kind}, {name}", partial(copied, columns),
                       partial(result_or_none, built_data, columns),
                       frozenset({"labels", "LabelsWithErrors"}), tolerance=0)  # fmt: skip
    if "metric" in door.options:
        for name, copier in some_of(COPIERS, door):
            metric = copier(door.options["metric"])
            yield Cell(f"metric, {name}", partial(door, columns, metric=metric), plain_of(door),
                       tolerance=0)  # fmt: skip


def answer_of(door: Door, columns: Mapping[str, Any]) -> list[Any]:
    return leaves(door(columns))


COPIERS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda each: pickle.loads(pickle.dumps(each)),
}


def pair_and_curve(door: Door) -> Iterator[Cell]:
    """A pair of labels and scores, and the curve or matrix of it."""
    if data_of(door) and door.form is None:
        columns, expected = door.columns_with(), plain_of(door)
        yield Cell("built", partial(built(door), columns), expected)
        lists = {key: values.tolist() for key, values in columns.items()}
        yield Cell("pair of lists", partial(door, lists), expected)


KINDS = {
    each.__name__: each
    for each in (
        plain,
        index,
        float32,
        weight_zero,
        pos_label,
        position,
        misspelt,
        negatives,
        decimals,
        missing,
        column_order,
        copies,
        pair_and_curve,
    )
}


# ------------------------------------------------------------ tests
LEAST = 4200  # cells; today's number is printed at the end of a run


@functools.cache
def cells_of(door: str, kind: str) -> list[Cell]:
    return [] if left_out(kind, DOORS[door]) else list(KINDS[kind](DOORS[door]))


def faults(cells: list[Cell]) -> list[str]:
    with warnings.catch_warnings(action="ignore"):
        return [fault for each in cells if (fault := each.fault()) is not None]


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_drawn():
    """Displays compute what they would draw."""
    with pytest.MonkeyPatch.context() as patch:
        for name in displays.__all__:
            if hasattr(getattr(displays, name), "plot"):
                patch.setattr(getattr(displays, name), "plot", lambda self, **options: self)
        yield


def cases() -> Iterator[Any]:
    for kind in KINDS:
        for door in DOORS:
            if cells_of(door, kind):
                yield pytest.param(door, kind, id=f"{kind}-{door}")


@pytest.mark.parametrize(("door", "kind"), cases())
def test_the_result_is_equal_or_refused_by_name(door, kind, proved):
    cells = cells_of(door, kind)
    found = faults(cells)
    proved(f"doors, {kind}", held=len(cells) - len(found), tried=len(cells))
    assert not found, "\n".join(found)


def test_the_matrix_does_not_shrink():
    assert sum(len(cells_of(door, kind)) for door in DOORS for kind in KINDS) >= LEAST
