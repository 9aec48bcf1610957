"""Data larger than memory: curves from a database, a cluster or parquet files.

A curve needs only the weight of the positives and of the negatives at each score. `curves` lets the
engine that holds the rows compute these by one group-by, and fetches the result. `bounds` says how
much the rounding of scores can change a metric. These functions need the extra ``tables``.

Examples
--------
>>> import ibis
>>> import pandas as pd
>>> from calibrated_metrics import scores, tables
>>> rows = pd.DataFrame({"fraud": [1, 0, 1, 0, 0], "score": [0.94, 0.82, 0.78, 0.71, 0.1]})
>>> curve = tables.curves(ibis.memtable(rows), y_true="fraud", y_score="score")
>>> scores.average_precision(curve)
0.833...
>>> rounded = tables.curves(ibis.memtable(rows), y_true="fraud", y_score="score", resolution=10)
>>> rounded.thresholds
array([inf, 0.9, 0.8, 0.7, 0.1])
>>> tables.bounds("average_precision", rounded)
(0.749..., 0.833...)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from calibrated_metrics._comparison.groups import check_columns
from calibrated_metrics._intervals.asked import Asked, ScoreLike
from calibrated_metrics._tables.counting import Columns, check_name
from calibrated_metrics._tables.extremes import extremes
from calibrated_metrics._tables.groups import fetched, groups_of_table
from calibrated_metrics._tables.rounding import rounding_of
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["bounds", "curves"]


@overload
def curves(
    table: Any,
    *,
    y_true: str,
    y_score: str,
    by: None = None,
    sample_weight: str | None = None,
    pos_label: Any = 1,
    resolution: float | None = None,
    scale: str = "score",
) -> ConfusionCurve: ...


@overload
def curves(
    table: Any,
    *,
    y_true: str,
    y_score: str,
    by: str | Sequence[str],
    sample_weight: str | None = None,
    pos_label: Any = 1,
    resolution: float | None = None,
    scale: str = "score",
) -> Any: ...


def curves(
    table: Any,
    *,
    y_true: str,
    y_score: str,
    by: str | Sequence[str] | None = None,
    sample_weight: str | None = None,
    pos_label: Any = 1,
    resolution: float | None = None,
    scale: str = "score",
) -> Any:
    """Build the curve of a table, or of each of its groups, by one group-by in its engine.

    Parameters
    ----------
    table : ibis Table, or path of a parquet file, a folder of such files, or a glob
        Parquet files, also those in folders within a folder, are read by an embedded DuckDB. Its
        memory is limited to 256 MiB per core or 1 GiB, whichever is larger; it writes the rest to a
        temporary folder. For other settings, pass an Ibis table of a connection of your own.
    y_true, y_score : column name
        Binary labels of any type; finite scores, higher for more likely positives.
    by : column name or list of column names, default=None
        Rows with the same values in these columns form a group. Missing values form a group of
        their own. None: one curve of all rows.
    sample_weight : column name, default=None
        Non-negative weights of the rows; rows of weight 0 are dropped.
    pos_label : scalar, default=1
        The label of the positives.
    resolution : float > 0, default=None
        Number of cells per unit of the scale. Scores of one cell become ties at its lower edge.
        None: each distinct score is fetched.
    scale : {"score", "log-odds"}, default="score"
        "score": cell k holds the scores in [k / resolution, (k + 1) / resolution). "log-odds": cell
        k holds the probabilities p with log(p / (1 - p)) in this interval; 0 and 1 are cells of
        their own. Cells of log-odds are narrow near 0 and 1, where good models for rare events
        have their scores.

    Returns
    -------
    ConfusionCurve or pandas.DataFrame
        Without `by`, the curve, with a vertex at each cell that holds rows. With `by`, a table with
        one row per group, sorted by the columns `by`, missing values last. Columns:

        - those of `by`;
        - `n_pos`, `n_neg`: numbers of rows of each class, also of those of weight 0; rows without a
          label are not counted;
        - `prior`: share of the positives, with weights; NaN if the data cannot be used;
        - `curve`: the `ConfusionCurve`, or None;
        - `status`: "ok", or why there is no curve.

    Raises
    ------
    ImportError
        If Ibis or DuckDB is not installed.
    ValueError, TypeError
        If `table` is neither an Ibis table nor a path, if it holds no rows, if a path names no
        readable parquet file, for columns that do not exist, scores or weights that are not
        numbers, and other arguments outside their range. Without `by`, also for data that cannot
        be used, as in `ConfusionCurve.from_predictions`; with `by`, the `status` says why.

    See Also
    --------
    bounds : The lowest and highest value of a metric that rounded scores allow.
    calibrated_metrics.comparison.by_group : Metrics of each group of a table, with intervals.
    calibrated_metrics.uncertainty.interval : Intervals of unweighted curves. It would take weights
        for numbers of rows.

    Notes
    -----
    The engine computes sums, counts and extremes per group and cell, and these are fetched: memory
    is needed for the cells, not for the rows. The same pass finds missing or infinite values and
    wrong labels. An engine adds in any order, so sums of weights that are not whole numbers may
    differ in the last digits from run to run.

    A rounded curve is exact at its thresholds: vertex k counts the rows with ``score >=
    thresholds[k]``. With scale "score", edges are the float64 nearest to k / resolution, such as
    0.7 for k = 7 and a resolution of 10, and a score is compared with them, so that all engines
    make the same cells. With "log-odds", a score within a rounding error of an edge may fall into
    the cell below or above, depending on the logarithm of the engine. If so, the threshold of this
    cell is its lowest score.

    Curves of the same resolution and scale can be merged by ``+``. Others are refused, because
    their cells overlap.

    DuckDB and Spark are tested. Ibis supports other engines, such as BigQuery, Snowflake and
    PostgreSQL; they are not tested here.

    Examples
    --------
    >>> import ibis
    >>> import pandas as pd
    >>> from calibrated_metrics import tables
    >>> rows = pd.DataFrame(
    ...     {"month": [1, 1, 1, 2, 2], "fraud": [1, 0, 0, 0, 0], "score": [0.9, 0.4, 0.2, 0.3, 0.8]}
    ... )
    >>> found = tables.curves(ibis.memtable(rows), y_true="fraud", y_score="score", by="month")
    >>> found[["month", "n_pos", "n_neg", "prior"]].round(3)
       month  n_pos  n_neg  prior
    0      1      1      2  0.333
    1      2      0      2    NaN
    >>> found["curve"][0]
    ConfusionCurve(3 vertices, n_pos=1, n_neg=2, prior=0.333333)
    >>> found["status"][1]
    'y_true holds no positives: pos_label=1 is not among its labels [0]'
    """
    rounding = rounding_of(resolution, scale)
    if by is None:
        columns = Columns(y_true, y_score, (), sample_weight)
        cells = fetched(table, "table", columns, pos_label, rounding)
        return cells.curve(np.arange(len(cells)))
    keys = list(by) if isinstance(by, list | tuple) else [by]
    for key in keys:
        check_name("by", key, "table")
    check_columns(keys, ("n_pos", "n_neg", "prior", "curve", "status"))
    columns = Columns(y_true, y_score, keys, sample_weight)
    groups, measured = groups_of_table(table, "table", columns, pos_label, rounding)
    return groups.table(
        np.arange(len(measured)),
        {
            "n_pos": [group.n_pos for group in measured],
            "n_neg": [group.n_neg for group in measured],
            "prior": [group.prior for group in measured],
            "curve": [group.data for group in measured],
            "status": [group.status for group in measured],
        },
    )


def bounds(
    score: ScoreLike, curve: ConfusionCurve, *, pi0: float | None = None
) -> tuple[float, float]:
    """Return the lowest and highest value of a metric that the ties of a curve allow.

    If scores were rounded, the rows of a cell are tied on the curve, and their order is unknown.
    The value of the rows lies within the bounds, whatever their order and ties in each cell.

    Parameters
    ----------
    score : str, Metric or callable
        As for `uncertainty.interval`: a metric of the library. One of a matrix, such as recall,
        needs a `Metric` with a threshold.
    curve : ConfusionCurve
        Built by `curves` or `ConfusionCurve.from_counts`. Each of its thresholds is the lower edge
        of a cell, which ends below the next threshold.
    pi0 : float in (0, 1), default=None
        Reference prior. None: that of the curve.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError, TypeError
        If the curve was not built from counts, if the score is not one of the library, and for
        other arguments outside their range. If a score of a matrix is undefined for one of the two
        extreme matrices.

    See Also
    --------
    curves : Builds rounded curves.

    Notes
    -----
    A cell holds p positives and n negatives; in it, TP rises from A to A + p and FP from B to
    B + n. There are two extreme orders: in each cell all positives first, or all negatives first.
    They are extreme for the following reasons.

    - AUC-ROC, its partial area, interpolated AUC-PR, AUC-PR Gain, the partial gains area, precision
      and recall at the top: each is a function of the ROC curve that does not fall if this curve
      rises at some FP. For AUC-PR Gain, the recall gain depends on TP alone, and the precision gain
      1 - FPR/TPR falls with FP at each TP; for alert rates, the straight line of a fixed TP + FP
      meets the higher ROC curve at the higher TP. The two orders give the highest and the lowest
      ROC curve.
    - achievable AUC-PR: the convex hull of a higher ROC curve is higher.
    - best F-beta, precision at a recall, recall at a precision: maxima over the vertices, of a
      quantity that rises with TP and falls with FP. No vertex in the cell is better than
      (A + p, B). The lowest value uses only the ends of the cells, which all orders have.
    - average precision and its partial mean: a positive in the cell has at most the precision
      (A + p) / (A + p + B) of all positives tied before the negatives. It has at least that of
      untied positives after all negatives. For rows of weight 1, the latter precisions are summed;
      for cells with more than 32 positives, an integral below this sum replaces it, which lowers
      average precision by at most 0.03 / n_pos. For other weights, and for curves of
      `ConfusionCurve.from_counts`, the bound is the integral of x / (x + B + n), which the sum
      approaches if the weights are small.
    - scores of a matrix at a threshold: exact at the edge of a cell. Otherwise, an unknown part of
      the cell with the next lower edge is counted. All of these scores are monotone in TP and in
      FP, so the extremes are all positives and no negatives of this part, and the reverse.

    Apart from the exceptions for average precision, some order has the value of each bound. The
    bounds are widened by the largest possible rounding error: 64 units in the last place, and for
    weights that are not whole numbers four more per cell. Sums of an engine are taken as exact.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, registry, tables
    >>> curve = ConfusionCurve.from_counts([0.1, 0.5, 0.9], pos=[1, 2, 4], neg=[90, 5, 1])
    >>> tables.bounds("roc_auc", curve)
    (0.833..., 0.988...)
    >>> tables.bounds(registry.Metric("recall", options={"threshold": 0.5}), curve)
    (0.857..., 0.857...)
    >>> tables.bounds(registry.Metric("recall", options={"threshold": 0.6}), curve)
    (0.571..., 0.857...)
    """
    asked = Asked.of(score)
    if not isinstance(curve, ConfusionCurve):
        raise TypeError(f"curve must be a ConfusionCurve, got {curve!r}")
    return extremes(asked, curve.at_prior(asked.prior(pi0, curve.prior)))
