"""`classification_report`: metrics of models at priors, as text, as a mapping and as a frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _columns, _hints, _labels, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import needs, shown
from calibrated_metrics._results import html_lines, html_table
from calibrated_metrics.comparison.frames import (
    UNDEFINED,
    are_decisions,
    cells_of,
    is_mapping_of_data,
    numbers_of_counts,
    warn_of_missing,
)
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.scores.metric import Data, Metric, MetricLike, metrics_of
from calibrated_metrics.uncertainty.estimate import (
    NOT_SUPPORTED,
    Estimate,
    Settings,
    format_of,
    warn_of,
    withheld,
)
from calibrated_metrics.uncertainty.interval import estimate_or_value
from calibrated_metrics.uncertainty.prior import ReferencePrior

__all__ = ["Report", "classification_report"]

Predictions: TypeAlias = ArrayLike | Mapping[Any, ArrayLike] | None
Prior: TypeAlias = float | Estimate | None
Table: TypeAlias = dict[str, dict[str, str]]  # cells by row and column
BothCounts: TypeAlias = tuple[
    ConfusionMatrix | Measurable | None, ConfusionCurve | Measurable | None
]

_OF_DECISIONS = ("precision", "recall", "specificity", "npv", "fbeta", "matthews_corrcoef")
_OF_SCORES = ("average_precision", "roc_auc")
_ALSO = {"precision": "PPV", "recall": "sensitivity"}  # names of these in medicine


class Row(NamedTuple):
    """A metric of a model at a prior. `model` is None for one model without a name."""

    model: Any
    pi0: Prior
    metric: Metric
    estimate: Estimate
    n_pos: int
    n_neg: int
    own_prior: float

    @property
    def at_prior(self) -> float:
        """The prior at which the metric was computed."""
        return self.prior if self.metric.pi0 is None else self.metric.pi0

    @property
    def label(self) -> str:
        name, at = self.metric._label(), self.metric.pi0
        also = f" ({_ALSO[name]})" if name in _ALSO else ""
        return f"{name}{also}" if at is None else f"{name}{also} at prior {at:.3g}"

    @property
    def column(self) -> str:
        """The prior in words."""
        return f"{'own prior' if self.pi0 is None else 'prior'} {self.prior:.3g}"

    @property
    def prior(self) -> float:
        """The prior of the report, whatever the metric's own."""
        value = self.pi0.value if isinstance(self.pi0, Estimate) else self.pi0
        return self.own_prior if value is None else float(value)


@dataclass(frozen=True, eq=False, repr=False)
class Report(Mapping[Any, Any]):
    """A mapping of models, of priors and of metrics, as far as there are several, to estimates.

    `rows` are the estimates, `levels` the names of the levels of the mapping, and `others` further
    numbers of rows in words.
    """

    rows: Sequence[Row]
    levels: tuple[str, ...]
    others: str = ""

    def _key(self, row: Row) -> Any:
        return row.metric.key if self.levels[0] == "metric" else getattr(row, self.levels[0])

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.fromkeys(map(self._key, self.rows)))

    def __len__(self) -> int:
        return len(set(map(self._key, self.rows)))

    def __getitem__(self, key: Any) -> Any:
        of_metric = self.levels[0] == "metric"
        found = [row for row in self.rows if self._key(row) == key]
        if of_metric and not found and isinstance(key, str):
            try:
                asked = Metric(key)  # by another name
            except (TypeError, ValueError) as error:
                raise KeyError(str(error)) from None
            found = [row for row in self.rows if row.metric == asked]
        if not found:
            raise KeyError(f"{key!r}; the keys are {list(self)}")
        return found[0].estimate if of_metric else Report(found, self.levels[1:], self.others)

    def to_frame(self, format: str | None = None) -> Any:
        """A DataFrame of pandas.

        Parameters
        ----------
        format : str, default=None
            None: one row per value, with the columns of `comparison.by_group`. A format of numbers,
            such as ".2f", or "" for the digits of ``print``: its table, with cells such as
            "0.51 [0.32, 0.67]".

        Returns
        -------
        pandas.DataFrame
            With a format: one row per metric and one column per prior; for several models, one
            column per prior and model. ``to_latex()`` and ``to_html()`` write it.
        """
        with needs("pandas"):
            import pandas as pd
        if format is not None:
            blocks = {
                title: pd.DataFrame.from_dict(table, orient="index")
                for title, table in self._tables(format).items()
            }
            return blocks[""] if "" in blocks else pd.concat(blocks, axis="columns")
        records = [
            {
                "model": row.model,
                "n_pos": row.n_pos,
                "n_neg": row.n_neg,
                "prior": row.own_prior,
                "metric": row.metric._key_of_options,
                "pi0": row.at_prior,
                **cells_of(row.estimate),
            }
            for row in self.rows
        ]
        frame = pd.DataFrame(records)
        return frame.drop(columns=[] if self.rows[0].model is not None else "model")

    def __repr__(self) -> str:
        blocks = [
            "\n".join([*([title] if title else []), *_lines(table)])
            for title, table in self._tables().items()
        ]
        return "\n\n".join([*blocks, "\n".join(self._notes)])

    def _repr_html_(self) -> str:
        tables = [
            html_table(
                ([name, *cells.values()] for name, cells in table.items()),
                ["", *next(iter(table.values()))],
                title,
            )
            for title, table in self._tables().items()
        ]
        return "".join(tables) + html_lines(self._notes)

    @property
    def _names(self) -> tuple[dict[Any, str], dict[Any, str], dict[Any, str]]:
        """The metrics, priors and models in words that differ."""
        own = {row.own_prior for row in self.rows}
        priors = {row.pi0: (row.column, f"prior {row.prior!r}") for row in self.rows}
        if None in priors and len(own) > 1:
            priors[None] = "own prior", "own prior"
        return (
            _distinct({row.metric.key: (row.label, row.metric.key) for row in self.rows}),
            _distinct(priors),
            _distinct({row.model: (str(row.model), repr(row.model)) for row in self.rows}),
        )

    def _tables(self, format: str = "") -> dict[str, Table]:
        """Cells by metric and prior; for several models, a table of cells by model per prior."""
        metrics, priors, models = self._names
        found: dict[str, Table] = {}
        for row in self.rows:
            prior, model = priors[row.pi0], models[row.model]
            title, head = (prior, model) if len(models) > 1 else ("", prior)
            table = found.setdefault(title, {})
            cell = f"{row.estimate:{format or format_of(row.estimate)}}"
            table.setdefault(metrics[row.metric.key], {})[head] = cell
        return found

    @property
    def _notes(self) -> list[str]:
        """Numbers of rows, the confidence level, and remarks."""
        metrics, _, models = self._names
        of_models = {
            models[row.model]: f"{row.n_pos} positives, {row.n_neg} negatives" for row in self.rows
        }
        notes = [f"{name}: {numbers}" for name, numbers in of_models.items()]
        if len(set(of_models.values())) == 1:
            notes = [*of_models.values()][:1]
        level = f"{100 * self.rows[0].estimate.confidence_level:.6g}"
        notes[-1] += f"{self.others}; [low, high]: {level} % intervals"
        about: dict[tuple[str, str], dict[str, None]] = {}  # metrics by model and remark
        for row in self.rows:
            model = f"{models[row.model]}, " if len(models) > 1 else ""
            for each in row.estimate.remarks:
                about.setdefault((model, each), {})[metrics[row.metric.key]] = None
        notes += [f"{model}{', '.join(names)}: {each}" for (model, each), names in about.items()]
        return notes


def _distinct(names: Mapping[Any, tuple[str, str]]) -> dict[Any, str]:
    """The short name of each key, or its long one if others have the same, or a numbered one."""
    shorts = [short for short, _ in names.values()]
    found = {
        key: short if shorts.count(short) == 1 else long for key, (short, long) in names.items()
    }
    texts = list(found.values())
    return {
        key: text if texts.count(text) == 1 else f"{text} ({place})"
        for place, (key, text) in enumerate(found.items(), start=1)
    }


def _lines(cells: Table) -> list[str]:
    """Lines of a table with one row per metric, and one column per model or prior."""
    heads = list(next(iter(cells.values())))
    first = max(map(len, cells))
    widths = [max(len(head), *(len(of_row[head]) for of_row in cells.values())) for head in heads]

    def line(label: str, texts: Iterable[str]) -> str:
        aligned = (f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))
        return "  ".join([f"{label:<{first}}", *aligned]).rstrip()

    return [line("", heads), *(line(label, of_row.values()) for label, of_row in cells.items())]


@plain_calls(output_dict="the report is a mapping: dict(report)", **_hints.COUNTS)
def classification_report(
    y_true: ArrayLike | Data | Measurable,
    y_pred: Predictions = None,
    y_score: Predictions = None,
    *,
    pi0: Prior | Sequence[Prior] = None,
    pos_label: Any = None,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    missing: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Report:
    """Report metrics of one or more models with intervals, at one or more reference priors.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,), ConfusionMatrix, ConfusionCurve or LabelsWithErrors
        Binary labels of any type; or counts, such as those of a published table, or labels with
        errors, without further data of rows. A mapping from names to such data, such as the tables
        of hospitals, is reported like several models.
    y_pred : array-like of shape (n_rows,), or mapping of model to such arrays, default=None
        Predicted labels. None: the report has metrics of scores only.
    y_score : array-like of shape (n_rows,), or mapping of model to such arrays, default=None
        Finite scores; a higher score is more likely positive. They add metrics of the ranking.
    pi0 : None, float in (0, 1), Estimate, or a sequence of these, default=None
        Reference prior (prevalence), as for `uncertainty.interval`. None: the prior of the
        population of the rows. ``[None, 0.01]`` shows both.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
    metrics : str, callable or Metric, or a list of these, default=None
        None: precision (PPV), recall (sensitivity), specificity, NPV, F1 and MCC of `y_pred`;
        AUC-PR and AUC-ROC of `y_score`. A `Metric` with a threshold is one of `y_score`.
    sample_weight, counts, clusters, strata : array-like of shape (n_rows,), default=None
        As for `ConfusionCurve.from_predictions`.
    missing : None or "drop", default=None
        None: rows without a label or a prediction are refused. "drop": they are dropped for all
        models, with one warning, which is right if neither the class nor the score of a row decides
        whether it lacks them.
    confidence_level, n_resamples, rng
        As for `uncertainty.interval`.

    Returns
    -------
    mapping
        ``print(report)`` shows a table, and ``report.to_frame()`` is a DataFrame of pandas.
        ``report["precision"]`` is an `Estimate`; the keys are names of metrics, and synonyms are
        accepted. If `y_pred` or `y_score` is a mapping, the first key is the model; if `pi0` is a
        sequence, the next one is the prior: ``report["forest"][0.01]["precision"]``. If a metric is
        undefined or its interval is withheld, an `IntervalWarning` is given, as for
        `uncertainty.interval`, and its `reason` says why.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import classification_report
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(1000) < 200
    >>> y_score = rng.normal(2 * y_true)
    >>> report = classification_report(y_true, y_score >= 1, y_score, pi0=[None, 0.01])
    >>> report
                                 own prior 0.2               prior 0.01
    precision (PPV)       0.593 [0.533, 0.651]     0.056 [0.047, 0.066]
    recall (sensitivity)  0.830 [0.771, 0.879]     0.830 [0.771, 0.879]
    specificity           0.858 [0.831, 0.881]     0.858 [0.831, 0.881]
    NPV                   0.953 [0.935, 0.967]  0.9980 [0.9973, 0.9986]
    F1                    0.692 [0.641, 0.738]     0.104 [0.089, 0.122]
    MCC                   0.612 [0.553, 0.663]     0.192 [0.168, 0.216]
    AUC-PR                0.815 [0.754, 0.858]     0.343 [0.178, 0.451]
    AUC-ROC               0.933 [0.912, 0.949]     0.933 [0.912, 0.949]
    <BLANKLINE>
    200 positives, 800 negatives; [low, high]: 95 % intervals
    >>> report[0.01]["PPV"]
    Estimate(0.05556, 95 % interval 0.04688 to 0.06604, rates)
    """
    settings, n_missing = Settings.of(confidence_level, "auto", n_resamples, rng), 0
    drawn: dict[str, Any] = {"sample_weight": sample_weight, "counts": counts}
    drawn |= {"clusters": clusters, "strata": strata}
    is_mapping = is_mapping_of_data(y_true)
    if is_mapping or isinstance(y_true, ConfusionMatrix | ConfusionCurve | Measurable):
        given: Any = y_true if is_mapping else {None: y_true}
        models = _counted(given, pos_label, {"y_pred": y_pred, "y_score": y_score, **drawn})
    else:
        if missing == "drop":
            y_true, y_pred, y_score, drawn, n_missing = _without_missing(
                y_true, y_pred, y_score, drawn
            )
        elif missing is not None:
            raise ValueError(f'missing must be None or "drop", got {shown(missing)}')
        label = 1 if pos_label is None else pos_label
        models = _models(y_true, y_pred, y_score, {"pos_label": label, **drawn})
    priors, levels = _priors(pi0)
    if is_mapping or isinstance(y_pred, Mapping) or isinstance(y_score, Mapping):
        levels = ("model", *levels)
    matrix, curve = next(iter(models.values()))
    if metrics is None:
        metrics = () if matrix is None else _OF_DECISIONS
        metrics += () if curve is None else _OF_SCORES
    asked = metrics_of(metrics)
    rows = [
        _row(model, prior, metric, counts, settings)
        for model, counts in models.items()
        for prior in priors
        for metric in asked
    ]
    warn_of(f"{row.label}, {row.column}: {each}" for row in rows for each in row.estimate.remarks)
    data = curve if matrix is None else matrix
    known = getattr(data, "_rows", None)  # labels with errors have none
    others = "" if sample_weight is None else " of weight above 0"
    others += f" in {len(known.clusters.labels)} clusters" if known and known.clusters else ""
    others += f"; rows dropped for missing values: {n_missing}" if n_missing else ""
    return Report(rows, (*levels, "metric"), others)


def _counted(
    data: Mapping[Any, Any], pos_label: Any, others: Mapping[str, Any]
) -> dict[Any, BothCounts]:
    """Counts that were given, by model."""
    if given := [name for name, each in others.items() if each is not None]:
        first = next(iter(data.values()))
        raise ValueError(f"{given[0]} must be None for counts, got {shown(first)}")
    of_decisions = are_decisions("y_true", data)
    for each in data.values():
        _labels.label_of_built("y_true", each.pos_label, pos_label)
        if not isinstance(each, Measurable):  # refuse data without rows
            _ = each._with_rows("y_true") if isinstance(each, ConfusionMatrix) else each.rows
    return {name: (each, None) if of_decisions else (None, each) for name, each in data.items()}


def _without_missing(
    y_true: Any, y_pred: Any, y_score: Any, drawn: Mapping[str, Any]
) -> tuple[Any, Any, Any, dict[str, Any], int]:
    """The arguments without the rows that lack a label or a prediction, and how many these are."""
    predictions = {"y_pred": y_pred, "y_score": y_score}
    columns = {"y_true": y_true} | {
        f"{name} of {model!r}": column
        for name, each in predictions.items()
        for model, column in (each.items() if isinstance(each, Mapping) else [(None, each)])
        if column is not None
    }
    _columns.same_index(**columns, **drawn)
    arrays = {name: _columns.vector(name, each) for name, each in columns.items()}
    _columns.same_length(**arrays)
    lacks = np.any([*map(_labels.are_missing, arrays.values())], axis=0)
    counts = drawn["counts"]
    number = np.ones(len(lacks)) if counts is None else _numbers.row_counts("counts", counts)
    warn_of_missing("drop", [n_missing := int(number[lacks].sum())])

    def kept(given: Any) -> Any:
        if isinstance(given, Mapping):
            return {model: kept(each) for model, each in given.items()}
        return None if given is None else np.asarray(given)[~lacks]

    return kept(y_true), kept(y_pred), kept(y_score), kept(drawn), n_missing


def _models(
    y_true: Any, y_pred: Any, y_score: Any, drawn: Mapping[str, Any]
) -> dict[Any, BothCounts]:
    """Counts of the rows by model; the model None if there is only one."""
    given = {"y_pred": y_pred, "y_score": y_score}
    given = {name: each for name, each in given.items() if each is not None}
    if not given:
        raise ValueError("y_pred or y_score must be given, got None for both")
    named = {name: each for name, each in given.items() if isinstance(each, Mapping)}
    names = [set(each) for each in named.values()]
    if not named:
        given = {name: {None: each} for name, each in given.items()}
    elif len(named) < len(given) or names[0] != names[-1] or not names[0]:
        raise ValueError(
            f"{' and '.join(given)} must be mappings with the same models, got "
            f"{', '.join(f'{name} of {list(each)}' for name, each in named.items())}"
        )

    def counts_of(kind: Any, name: str, model: Any) -> Any:
        prediction = given.get(name, {}).get(model)
        return None if prediction is None else kind.from_predictions(y_true, prediction, **drawn)

    return {
        model: (
            counts_of(ConfusionMatrix, "y_pred", model),
            counts_of(ConfusionCurve, "y_score", model),
        )
        for model in next(iter(given.values()))
    }


def _priors(pi0: Any) -> tuple[list[Prior], tuple[str, ...]]:
    """The priors, and the level of the report that they form if there may be several."""
    is_one = pi0 is None or isinstance(pi0, Estimate) or _columns.dimensions("pi0", pi0) == 0
    given: list[Prior] = [pi0] if is_one else list(pi0)
    priors: list[Prior] = []
    for each in given:
        if isinstance(each, Estimate):
            ReferencePrior.of(each)
        elif each is not None:
            each = _numbers.open_unit("pi0", each)
        priors.append(each)
    if not priors or any(priors.count(each) > 1 for each in priors):
        raise ValueError(f"pi0 must hold at least one prior and none twice, got {given}")
    return priors, () if is_one else ("pi0",)


def _row(model: Any, prior: Prior, metric: Metric, counts: BothCounts, settings: Settings) -> Row:
    matrix, curve = counts
    of_scores = metric.facts.of is not None and not metric._takes_labels
    data = matrix if metric._takes_labels or (curve is None and not of_scores) else curve
    if data is None:
        needs = "y_pred" if metric._takes_labels else "y_score"
        raise ValueError(f"{needs} must be given for the metric {metric.key!r}, got None")
    try:
        found = estimate_or_value(metric, data, prior if metric.pi0 is None else None, settings)
    except UNDEFINED as error:
        is_supported = not isinstance(data, Measurable) or data.supports(metric)
        method = "" if is_supported else NOT_SUPPORTED
        found = withheld(math.nan, settings.confidence_level, method, str(error))
    return Row(model, prior, metric, found, *numbers_of_counts(data), float(data.prior))
