"""Every public function that takes rows, found by its signature, and data for each parameter.

A door is such a function with its arguments. Its data are columns of values: ``y_true`` is an
argument, ``a/y_true`` a column of the pair or curve `a`, and ``frame/y_true`` one of a frame.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np
import pandas as pd
from curves import Uniform
from given_scores import GivenScores
from sklearn.linear_model import LogisticRegression

import calibrated_metrics
from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, classifiers, scorers

N = 60
RNG = np.random.default_rng(3)
PLACES = np.arange(N)
Y, Y2 = (PLACES % 3 == 0).astype(int), (PLACES % 3 == 1).astype(int)
# One decimal: in float32, 0.7 lies below the 0.7 of Python, so a threshold needs the same rounding.
S, S2, S3 = (
    np.clip(np.round(0.4 + 0.3 * y + 0.2 * RNG.normal(size=N), 1), 0.1, 0.9) for y in (Y, Y2, Y)
)
EDGES, EDGE = np.unique(S, return_inverse=True)
EVENT = np.linspace(0, 90, N)
RATES = np.array([0.3, 0.6, 0.9])
METRICS = {
    "precision": Metric("precision"),  # of decisions
    "precision at 0.7": Metric("precision", threshold=0.7),
    "average precision": Metric("average_precision"),
}


def is_text(labels: Any) -> bool:
    return any(isinstance(label, str) for label in labels)


# ------------------------------------------------------------ what each parameter takes
ROWS: dict[str, Any] = {
    "y_true": Y,
    "y": Y,
    "y_pred": (S >= 0.7).astype(int),
    "y_score": S,
    "y_prob": S,
    "X": S[:, np.newaxis],
    "sample_weight": np.array([0.5, 2])[PLACES % 2],  # constant within strata
    "counts": 1 + PLACES % 3,
    "clusters": PLACES // 3,
    "strata": PLACES % 2,
    "by": PLACES // 20,
    "reference": Y,
    "label": np.where(PLACES % 7 == 1, 1 - Y, Y),
    "all_labels": np.repeat([0, 1], [90, 60]),
    "label_sensitivity": np.where(PLACES % 2, 0.9, 0.95),
    "label_specificity": np.full(N, 0.97),
    "age": np.array([5.0, 20.0, 40.0]),
    "event": EVENT,
    "report": EVENT + PLACES % 9,
    "thresholds": EDGES,
    "pos": np.bincount(EDGE, Y),
    "neg": np.bincount(EDGE, 1 - Y),
    "tp": np.array([18, 12, 6]),
    "fp": np.array([10, 5, 1]),
    "fn": np.array([2, 8, 14]),
    "tn": np.array([30, 35, 39]),
    "tpr": RATES,
    "fpr": RATES / 4,
    "new": S3,
}
LABELS = {"y_true", "y", "y_pred", "reference", "label", "all_labels"}
UNITS = {"clusters", "strata", "stratum", "by"}
SCORES = {"y_score", "y_prob", "new", "thresholds", "score"}
# Their columns are named by the other arguments.
FRAMES = {"frame": pd.DataFrame, "table": lambda columns: ibis.memtable(pd.DataFrame(columns))}
OPTIONAL = {"sample_weight", "counts", "clusters", "strata"}
OPTIONAL |= {"label_sensitivity", "label_specificity"}
ELSEWHERE = {"age", "all_labels"}  # about other rows than the other arguments
FIRST, SECOND = {"y_true": Y, "y_score": S}, {"y_true": Y2, "y_score": S2}
DATA = {
    **dict.fromkeys(("curve", "data", "a", "before", "labelled", "pilot", "like", "matrix"), FIRST),
    **dict.fromkeys(("b", "after", "other"), SECOND),
    "periods": {
        f"{place}/{name}": values
        for place, pair in enumerate(((Y, S), (Y2, S2), (Y, S3)))
        for name, values in zip(("y_true", "y_score"), pair, strict=True)
    },
    "design": {"score": S, "stratum": PLACES % 2, "n_rows": np.where(PLACES % 2, 100, 400)},
}
OPTIONS: dict[str, Any] = {
    "alert_rate": 0.3,
    "as_of": 100.0,
    "budget": 20,
    "cv_results": lambda y: {
        "estimator": [OPTIONS["estimator"](y)],
        "indices": {"train": [[]], "test": [np.arange(len(y))]},
    },
    "estimator": lambda y: GivenScores().fit(None, ["clean", "fraud"] if is_text(y) else [0, 1]),
    "k": 3,
    "longest_delay": 50.0,
    "max_fpr": 0.4,
    "metrics": [METRICS["precision at 0.7"], METRICS["average precision"]],
    "n_neg": 40,
    "n_pos": 20,
    "n_resamples": 20,
    "n_samples": 50,
    "precision": 0.4,
    "recall": 0.5,
    "rng": 0,
    "specificity": 0.8,
    "threshold_probability": 0.2,
}
OWN: dict[str, dict[str, Any]] = {  # arguments of one function, in place of those above
    "ConfusionCurve": {
        "thresholds": np.array([np.inf, 0.8, 0.5, 0.2]),
        "tp": np.array([0, 4, 9, 20]),
        "fp": np.array([0, 1, 8, 40]),
    },
    "ConfusionCurve.from_population": {
        "population": Uniform(),
        "thresholds": np.array([np.inf, 0.75, 0.5, 0]),
        "tp": np.array([0, 7 / 32, 0.375, 0.5]),
        "fp": np.array([0, 1 / 32, 0.125, 0.5]),
    },
    "ConfusionCurve.from_roc": {
        "tpr": np.array([0, 0.5, 0.75, 1]),
        "fpr": np.array([0, 0, 0.5, 1]),
    },
    "audit.curve": {"target": "these rows"},
    "audit.design": {"goal": "recall", "threshold": 0.7},
    "audit.prior": {"target": "future rows"},
    "multiclass.one_vs_rest": {
        "y_true": PLACES % 3,
        "y_score": np.round(np.column_stack([S, S2, S3]) + 0.3 * np.eye(3)[PLACES % 3], 1),
        "y_pred": None,
        "sample_weight": np.array([0.5, 1, 2])[PLACES % 3],
        "strata": PLACES % 3,
    },
    "ConfusionMatrix.from_rates": {"n_pos": None, "n_neg": None, "prior": RATES / 2},
    "comparison.by_group": {"y_pred": None},
    "comparison.explain_changes": {"reference": None},
    "displays.ChangeDisplay.from_periods": {"reference": None},
    "displays.DecisionCurveDisplay.from_curve": {"threshold_probability": [0.1, 0.3, 0.5]},
    "displays.DecisionCurveDisplay.from_estimator": {"threshold_probability": [0.1, 0.3, 0.5]},
    "displays.DecisionCurveDisplay.from_predictions": {"threshold_probability": [0.1, 0.3, 0.5]},
    "displays.GroupsDisplay.from_values": {"by": None},
    "label_free.estimate": {"clusters": None},  # needed if and only if `labelled` has clusters
    "label_free.estimate_prior": {"clusters": None},
    "label_errors.from_predictions": {"y_pred": None, "reference": None},
    "label_errors.prior": {"reference": None},
    "label_errors.rates": {"all_labels": None},
    "register_score": {"label": None},
    "displays.PriorSweepDisplay.from_estimator": {"pi0": [0.05, 0.3]},
    "displays.PriorSweepDisplay.from_curve": {"pi0": [0.05, 0.3]},
    "displays.PriorSweepDisplay.from_predictions": {"pi0": [0.05, 0.3]},
    "planning.rows_for": {"width": 0.6},
    "probabilities.rebase": {"prior": 0.5, "pi0": 0.1},
    "thresholds.choose_threshold": {"min_recall": 0.3},
}


WITHOUT_BANDS = {"displays.ThresholdDisplay.from_curve"}  # which take long


@dataclass(frozen=True)
class Door:
    """A function, its arguments, and its columns of data."""

    name: str
    function: Callable[..., Any]
    columns: Mapping[str, Any]
    options: Mapping[str, Any]
    form: Callable[..., Any] | None = None  # makes the curve or matrix that is passed; None: a pair
    optional: frozenset[str] = frozenset(OPTIONAL)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    def columns_with(self, key: str = "") -> dict[str, Any]:
        """The required columns and the given one."""
        names = {each: each.rpartition("/")[2] for each in self.columns}
        return {
            each: values
            for each, values in self.columns.items()
            if each == key or names[each] not in self.optional
        }

    def rows_of(self, key: str) -> str:
        """Which rows a column is about. Columns of the same rows must have the same index."""
        before, _, column = key.rpartition("/")
        if column in ELSEWHERE:
            return column
        return "rows" if self.options.get("paired") or before in {"design", *FRAMES} else before

    def arguments(self, columns: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        found, nested = {**self.options, **options}, {}
        for key, values in columns.items():
            before, _, column = key.rpartition("/")
            (nested.setdefault(before, {}) if before else found)[column] = values
        container = found.pop("container", None)
        for key, values in nested.items():
            name, _, item = key.partition("/")
            if name in FRAMES:
                found |= {each: each for each in values}
                found[name] = (container or FRAMES[name])(values)
            elif name == "design":
                found[name] = (container or dict)(values)
            else:
                one = tuple(values.values())
                one = one if self.form is None else self.form(*one)
                found[name] = [*found.get(name, []), one] if item else one
        for name in ("estimator", "cv_results"):
            if callable(found.get(name)):
                found[name] = found[name](list(columns.get("y", Y)))
        return found

    def __call__(self, columns: Mapping[str, Any], **options: Any) -> Any:
        return self.function(**self.arguments(columns, **options))


# ------------------------------------------------------------ the doors
def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions, constructors of data, and what makes objects of classes, by their names."""
    seen: set[int] = set()
    names = [name for name in calibrated_metrics.__all__ if name != "functions"]
    modules = filter(inspect.ismodule, (getattr(calibrated_metrics, name) for name in names))
    for module in (calibrated_metrics, *modules, classifiers):
        prefix = module.__name__.partition(".")[2]
        for name in module.__all__:
            found = getattr(module, name)
            if id(found) in seen or inspect.ismodule(found) or not callable(found):
                continue
            seen.add(id(found))
            full = f"{prefix}.{name}".strip(".")
            if not inspect.isclass(found):
                yield full, found
                continue
            if found in (ConfusionCurve, ConfusionMatrix):
                yield full, found
            for method, bound in inspect.getmembers(found, inspect.ismethod):
                if not method.startswith("_") and id(bound.__func__) not in seen:  # inherited
                    seen.add(id(bound.__func__))
                    yield f"{full}.{method}", bound


def of_objects() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Methods of objects, and functions that other public functions return."""
    model = LogisticRegression()
    certified = classifiers.CertifiedThresholdClassifier(
        model, min_recall=0.2, confidence_level=0.5, random_state=0
    )
    yield "classifiers.CertifiedThresholdClassifier.fit", certified.fit
    corrected = classifiers.PriorCorrectedClassifier(model, pi0=0.1)
    yield "classifiers.PriorCorrectedClassifier.fit", corrected.fit
    yield "scorers.score_function(youden)", scorers.score_function("youden_index")
    yield "classification_report of a curve", report_of_curve
    for name, metric in METRICS.items():
        yield f"Metric.__call__: {name}", metric.__call__
        yield f"scorers.scorer: {name}", scorers.scorer(metric)


def report_of_curve(curve: Any, *, pos_label: Any = None) -> Any:
    """`classification_report` of a curve, which is its argument `y_true`."""
    given = {} if pos_label is None else {"pos_label": pos_label}
    if isinstance(curve, tuple):
        curve, given["y_score"] = curve
    return calibrated_metrics.classification_report(curve, metrics="average_precision", **given)


def doors() -> Iterator[Door]:
    """All doors: with each metric, paired and not, with the data that the signature asks for."""
    for name, function in (*public(), *of_objects()):
        parameters = inspect.signature(function).parameters
        given = {**ROWS, **OPTIONS, **OWN.get(name, {})}
        asked = {*parameters, *OWN.get(name, {})}
        given = {each: given[each] for each in given if each in asked and given[each] is not None}
        rows = {each: value for each, value in given.items() if isinstance(value, np.ndarray)}
        options = {each: value for each, value in given.items() if each not in rows}
        options |= {"confidence_level": None} if name in WITHOUT_BANDS else {}
        frame = next((f"{each}/" for each in parameters if each in FRAMES), "")
        columns = {f"{frame}{each}": values for each, values in rows.items()}
        columns |= {
            f"{each}/{column}": values
            for each in parameters
            for column, values in DATA.get(each, {}).items()
        }
        if columns:
            yield from _variants(Door(name, function, columns, options))
        if name == "label_free.estimate_prior":
            labelled = ConfusionCurve.from_predictions(Y, S, clusters=PLACES // 3)
            columns = {"new": S3, "clusters": ROWS["clusters"]}
            options = {"labelled": labelled}
            yield Door(f"{name}: clusters", function, columns, options, optional=frozenset())
        if name == "comparison.by_group":
            decided = {key: v for key, v in columns.items() if key != "frame/y_score"}
            options = {**options, "metrics": ["precision"]}
            yield Door(f"{name}: y_pred", function,
                       {**decided, "frame/y_pred": ROWS["y_pred"]}, options)  # fmt: skip
        if name in ("label_errors.from_predictions", "label_errors.prior"):
            rates = "label_sensitivity", "label_specificity"
            columns = {key: values for key, values in columns.items() if key not in rates}
            yield Door(f"{name}: reference", function, {**columns, "reference": Y2}, options)
        if name == "label_errors.rates":
            del columns["clusters"]  # of rows that were chosen by their score
            columns = {**columns, "all_labels": ROWS["all_labels"]}
            yield Door(f"{name} by label", function, columns, {"chosen_by": "label"})


def _variants(door: Door) -> Iterator[Door]:
    kinds = {name: str(door.parameters[name].annotation).strip("'") for name in door.parameters}
    if kinds.get("matrix") == "ConfusionMatrix":
        yield _of_decisions(door, form=ConfusionMatrix.from_predictions)
    elif kinds.get("curve") == "ConfusionCurve":
        yield replace(door, form=ConfusionCurve.from_predictions)
    elif "metric" in kinds:
        for name, metric in METRICS.items():
            of_metric = replace(
                door, name=f"{door.name}: {name}", options={**door.options, "metric": metric}
            )
            if name != "precision":
                yield from _paired(of_metric)
            elif any("DataLike" in each for each in kinds.values()):
                yield from _paired(_of_decisions(of_metric))
    else:
        yield _of_decisions(door) if door.name == "Metric.__call__: precision" else door


def _paired(door: Door) -> Iterator[Door]:
    yield door
    if "paired" in door.parameters:
        columns = {each: Y if "y_true" in each else v for each, v in door.columns.items()}
        options = {**door.options, "paired": True}
        yield replace(door, name=f"{door.name}, paired", columns=columns, options=options)


def _of_decisions(door: Door, form: Callable[..., Any] | None = None) -> Door:
    columns = {
        each.replace("y_score", "y_pred"): (values >= 0.7).astype(int)
        if "score" in each
        else values
        for each, values in door.columns.items()
    }
    return replace(door, columns=columns, form=form)
