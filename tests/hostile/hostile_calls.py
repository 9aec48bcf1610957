"""Calls of public functions of the library with hostile arguments, and the judge of the results.

A call must return a value that its docstring promises, or raise `ValueError` or `TypeError` with a
message that names an argument. It must not hang, and warn only with the warnings of the library.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import random
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
from guard import TooSlowError, cpu_limit
from hostile_values import Values
from tally import Tally

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    comparison,
    functions,
    label_errors,
    label_free,
    probabilities,
    scorers,
    scores,
    spaces,
    thresholds,
    uncertainty,
)
from calibrated_metrics.scores.facts import facts_of

CPU_SECONDS = 5.0
EVERYWHERE = (-math.inf, math.inf)


@dataclasses.dataclass(frozen=True)
class Target:
    """A public function, values for its parameters, and the range of its result."""

    name: str
    function: Callable
    pools: dict[str, str]
    required: frozenset[str]
    bounds: tuple[float, float] = EVERYWHERE
    score: str | None = None

    @classmethod
    def of(cls, title: str, function: Callable, /, *, bounds=EVERYWHERE, of_score=None, **pools):
        parameters = inspect.signature(function).parameters.values()
        return cls(
            title,
            function,
            {p.name: pools.get(p.name, p.name) for p in parameters if p.kind is not p.VAR_KEYWORD},
            frozenset(p.name for p in parameters if p.default is p.empty),
            bounds,
            of_score,
        )

    def arguments(self, values: Values) -> dict[str, Any]:
        return {
            parameter: values.of(pool)
            for parameter, pool in self.pools.items()
            if parameter in self.required or values.rng.random() < 0.6
        }


def _of_module(module, name: str = "", **pools: str) -> Iterator[Target]:
    for each in module.__all__:
        function = getattr(module, each)
        if inspect.isfunction(function):
            yield Target.of(
                f"{name or module.__name__.partition('.')[2]}.{each}", function, **pools
            )


def _score_targets() -> Iterator[Target]:
    """The metrics with scikit-learn's shape, and the scores of curves and matrices."""
    bounds = {name: facts_of(name).range for name in _score_names()}
    bounds |= {"f1": bounds["fbeta"], "best_f1": bounds["best_fbeta"]}
    for target in _of_module(functions):
        name = target.name.removeprefix("functions.")
        if name.endswith("_score"):
            score = name.removesuffix("_score")
            yield dataclasses.replace(target, bounds=bounds[score], score=score)
        else:
            in_unit = (0.0, 1.0) if "gain" not in name else (-math.inf, 1.0)
            yield dataclasses.replace(target, bounds=in_unit)
    for name in _score_names():
        yield Target.of(f"scores.{name}", getattr(scores, name), bounds=bounds[name])


def _score_names() -> list[str]:
    return [name for name in scores.registered_scores() if name in scores.__all__]


def _curve_targets() -> Iterator[Target]:
    """Ways to build a curve or a matrix, and their methods."""
    yield Target.of("ConfusionMatrix", ConfusionMatrix)
    yield Target.of(
        "ConfusionMatrix of stacks", ConfusionMatrix, tp="pos", fp="pos", fn="pos", tn="pos"
    )
    yield Target.of(
        "ConfusionMatrix.from_rates", ConfusionMatrix.from_rates, tpr="rate", fpr="rate"
    )
    yield Target.of("ConfusionMatrix.from_predictions", ConfusionMatrix.from_predictions)
    yield Target.of("label_errors.from_predictions", label_errors.from_predictions)
    yield Target.of(
        "ConfusionMatrix.at_prior", ConfusionMatrix.at_prior, self="matrix", pi0="prior"
    )
    yield Target.of(
        "ConfusionMatrix.__add__", ConfusionMatrix.__add__, self="matrix", other="matrix"
    )
    yield Target.of(
        "ConfusionCurve",
        ConfusionCurve,
        thresholds="descending",
        tp="cumulative_tp",
        fp="cumulative_fp",
    )
    for name in ("predictions", "counts", "probabilities", "roc", "binormal"):
        function = getattr(ConfusionCurve, f"from_{name}")
        target = Target.of(f"ConfusionCurve.from_{name}", function)
        # The default of the model curve is many thresholds.
        yield dataclasses.replace(
            target, required=target.required | {"n_thresholds"} & {*target.pools}
        )
    for name in _METHODS:
        function = getattr(ConfusionCurve, name)
        yield Target.of(f"ConfusionCurve.{name}", function, self="curve", pi0="prior")


_METHODS = ("at_prior", "confusion_matrix", "hull", "__add__")


def _other_fast_targets() -> Iterator[Target]:
    yield from _of_module(spaces)
    for target in _of_module(probabilities):
        bounds = {"brier_score": (0.0, 1.0), "log_loss": (0.0, math.inf)}
        name = target.name.removeprefix("probabilities.")
        yield dataclasses.replace(target, bounds=bounds.get(name, target.bounds))
    yield Target.of("Metric", Metric, score="name")
    yield Target.of("Metric of a curve", _metric_of_curve, metric="score")
    yield Target.of(
        "register_score",
        scores.register_score,
        name="response_method",
        greater_is_better="response_method",
        stacks="response_method",
        range="bounds",
    )
    yield Target.of("scorers.score_function", scorers.score_function, metric="name")
    yield Target.of("scorers.scorer", scorers.scorer, metric="name", pi0="prior")
    yield Target.of("uncertainty.Estimate.normal", uncertainty.Estimate.normal)


def _metric_of_curve(metric, curve: ConfusionCurve):
    return Metric(metric)(curve)


def _slow_targets() -> Iterator[Target]:
    """Functions that take milliseconds."""
    samples = dict.fromkeys(("data", "a", "b"), "sampled")
    yield from _of_module(uncertainty, by="period_of_row", **samples)
    goals = ("min_precision", "min_recall", "max_alert_rate", "cost_fp", "cost_fn")
    goals += ("min_specificity", "max_fpr", "min_npv")
    yield from _of_module(
        thresholds, curve="sampled", tuning="sampled", **dict.fromkeys(goals, "goal")
    )
    of_frames = _of_module(
        comparison,
        y_true="column_y",
        y_score="column_s",
        sample_weight="column_w",
        clusters="column_c",
        strata="column_h",
        before="sampled",
        after="sampled",
    )
    report = Target.of("comparison.classification_report", comparison.classification_report)
    yield from (each for each in of_frames if each.function is not report.function)
    yield report
    yield from _of_module(label_free, prior="known")


FAST = [*_score_targets(), *_curve_targets(), *_other_fast_targets()]
SLOW = list(_slow_targets())


# ---------------------------------------------------------------------------------- the judge


class HostileError(AssertionError):
    """A call did something that no docstring allows."""


def run(target: Target, arguments: dict[str, Any]) -> bool:
    """Call a function; return whether it refused. Raise `HostileError` if it did something else."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = target.function(**arguments)
        except (ValueError, TypeError) as error:
            problem = _wrong_message(target, str(error))
            if problem:
                raise HostileError(problem) from error
            return True
        except TooSlowError:
            raise
        except BaseException as error:
            raise HostileError(f"undeclared {type(error).__name__}: {error}") from error
    declared = (scores.UndefinedMetricWarning, uncertainty.IntervalWarning)
    undeclared = [
        each
        for each in caught
        if not issubclass(each.category, declared)
        and not str(each.message).startswith("the scores are only 0 and 1")
    ]
    if undeclared:
        raise HostileError(f"undeclared warning: {undeclared[0].message}")
    problem = _wrong_result(target, arguments, result, may_be_nan=bool(caught))
    if problem:
        raise HostileError(problem)
    return False


def described(target: Target, arguments: dict[str, Any]) -> str:
    listed = ", ".join(f"{name}={_shown(value)}" for name, value in arguments.items())
    return f"{target.name}({listed})"


def _shown(value: Any) -> str:
    try:
        text = f"{type(value).__name__}:{value!r}" if type(value) not in _PLAIN else repr(value)
    except ValueError:  # an integer of more than 4300 digits
        text = f"a huge {type(value).__name__}"
    return text if len(text) < 200 else text[:200] + "..."


_PLAIN = (int, float, str, list, bool, type(None), tuple)


def _wrong_message(target: Target, message: str) -> str | None:
    words = {*target.pools, *target.pools.values(), target.name.rpartition(".")[2], *_WORDS}
    if len(message) > 5000:
        return f"a message of {len(message)} characters: {message[:100]}"
    if any(word.removesuffix("_score") in message for word in words):
        return None
    return f"a message that names no argument: {message!r}"


_WORDS = (
    *("arguments must have the same length", "tp, fp, fn and tn"),
    *("only curves that hold", "weights of the", "unknown metric", "metric must be"),
    *("a single confusion matrix", "pi0 must"),
    *(
        "is undefined",
        "score must be",
        "score '",
        "prior must",
        "pi0=",
        "y_true",
        "y_score",
        "y_prob",
    ),
)


def _wrong_result(target, arguments, result, may_be_nan: bool) -> str | None:
    may_be_nan |= _is_nan(arguments.get("zero_division"))
    if isinstance(result, bool | np.bool_ | str | list | dict) or result is None:
        return None
    if isinstance(result, ConfusionCurve):
        return _wrong_curve(result)
    if isinstance(result, label_errors.LabelsWithErrors):
        return _wrong_numbers([result.totals], (0, math.inf), may_be_nan, finite=True)
    if isinstance(result, ConfusionMatrix):
        return _wrong_numbers(
            [result.tp, result.fp, result.fn, result.tn], (0, math.inf), may_be_nan, finite=True
        )
    if isinstance(result, uncertainty.Estimate):
        return _wrong_estimate(result, target.bounds)
    if isinstance(result, tuple) and target.name.startswith(("functions.", "spaces.")):
        return _wrong_numbers(result[:2], target.bounds, may_be_nan, finite=True)
    if not isinstance(result, float | np.ndarray | np.floating):
        return None
    problem = _wrong_numbers([result], target.bounds, may_be_nan)
    return problem or _silent_zero(target, arguments, result)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _wrong_numbers(arrays, bounds, may_be_nan: bool, finite: bool = False) -> str | None:
    low, high = bounds
    for array in map(np.asarray, arrays):
        if array.dtype.kind not in "fiub":
            return f"a result of dtype {array.dtype}: {array!r}"
        if np.isnan(array).any() and not may_be_nan:
            return f"a silent NaN: {array}"
        known = array[~np.isnan(array)]
        if ((known < low) | (known > high)).any():
            return f"{array} outside {bounds}"
        if (finite or -low == high == math.inf) and not np.isfinite(known).all():
            return f"a silent infinity: {array}"
    return None


def _wrong_curve(curve: ConfusionCurve) -> str | None:
    if not (curve.n_pos and curve.n_neg):
        return None  # a day without positives, which has no metrics of its own
    counts = curve.tp, curve.fp
    if not all(np.isfinite(each).all() and (np.diff(each) >= 0).all() for each in counts):
        return f"a curve that is not finite and monotone: {counts}"
    if not 0 < curve.prior <= 1:
        return f"a curve with the prior {curve.prior}"
    return None


def _wrong_estimate(estimate: uncertainty.Estimate, bounds) -> str | None:
    limits = np.asarray([estimate.low, estimate.high])
    # Of several priors, only some may have an interval.
    if np.isnan(limits).any() and estimate.reason is None and not estimate.remarks:
        return f"a withheld interval without a reason: {estimate!r}"
    if np.isnan(estimate.value).any() and estimate.reason is None:
        return f"a silent NaN: {estimate!r}"
    if (limits[0] > limits[1]).any():
        return f"limits in the wrong order: {estimate!r}"
    return None


def _silent_zero(target: Target, arguments: dict[str, Any], result) -> str | None:
    """Compare a metric of a ranking that is 0 with the exact one."""
    is_zero = isinstance(result, float) and result == 0
    if not is_zero or target.score is None or "y_score" not in arguments:
        return None
    exact_score = getattr(oracle, target.score.replace("best_f1", "best_fbeta"))
    labels = np.asarray(arguments["y_true"]) == arguments.get("pos_label", 1)
    weights = arguments.get("sample_weight")
    weights = None if weights is None else [Fraction(float(w)) for w in np.asarray(weights)]
    y_score = np.asarray(arguments["y_score"], dtype=float).tolist()
    ranking = oracle.Ranking.of_samples(labels.tolist(), y_score, weights)
    pi0 = arguments.get("pi0")
    ranking = ranking if pi0 is None else ranking.by_formula(float(pi0))
    names = inspect.signature(exact_score).parameters
    exact = exact_score(ranking, **{n: float(v) for n, v in arguments.items() if n in names})
    # Areas that are a difference from 1 have a rounding error of 1. The least number of float64 is
    # the limit of all others.
    limit = 1e-12 if target.score in _DIFFERENCES_FROM_ONE else 1e-300
    return f"0 instead of {float(exact):g}" if abs(exact) > limit else None


_DIFFERENCES_FROM_ONE = {"roc_auc", "prg_auc", "partial_roc_auc"}
_DIFFERENCES_FROM_ONE |= {"precision_at_specificity", "precision_at_top", "recall_at_top"}


# ------------------------------------------------------------------------------------ fuzzing


def fuzz(targets: list[Target], n_calls: int, seed: int, most_failures: int = 50) -> Tally:
    """Make calls with random arguments; stop after many failures."""
    rng = random.Random(seed)
    tally = Tally()
    drawn = {n: Values(rng, n) for n in range(2, 8)}
    while tally.tried < n_calls and len(tally.failures) < most_failures:
        target, values = rng.choice(targets), drawn[rng.randint(2, 7)]
        values.share = rng.choice((0.0, 0.15, 0.15, 0.5))
        arguments = target.arguments(values)
        tally.tried += 1
        try:
            with cpu_limit(CPU_SECONDS):
                tally.refused += run(target, arguments)
        except (HostileError, TooSlowError) as error:
            tally.failures.append(f"{described(target, arguments)}: {error}")
    return tally


def untested() -> list[str]:
    """Public functions of the library that no target calls."""
    called = {target.function for target in [*FAST, *SLOW]}
    called |= {scores.registered_scores}  # it takes no data
    parts = (scores, functions, spaces, uncertainty, thresholds, comparison, label_free)
    parts += (probabilities, scorers)
    return [
        f"{module.__name__}.{name}"
        for module in parts
        for name in module.__all__
        if inspect.isfunction(getattr(module, name)) and getattr(module, name) not in called
    ]
