"""Data larger than memory: curves from a database, a cluster or parquet files.

The rows are counted by the engine that stores them. The extra ``tables`` must be installed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrated_metrics import _arguments, _columns, _labels, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics.comparison.frames import groups_of, warn_of_missing
from calibrated_metrics.engines.counting import EACH_SCORE, Cells, count

__all__ = ["curves"]

_COLUMNS = ("n_pos", "n_neg", "prior", "curve", "status", "n_dropped")


@plain_calls()
def curves(
    table: Any,
    *,
    y_true: str,
    y_score: str,
    by: str | Sequence[str] | None = None,
    pos_label: Any = 1,
    sample_weight: str | None = None,
    counts: str | None = None,
    clusters: str | None = None,
    strata: str | None = None,
    resolution: float | None = None,
    missing: str = "status",
) -> Any:
    """Build the curve of a table, or of each of its groups, by one group-by in its engine.

    ``docs/how-to/large-tables.md`` explains rounding and lists the engines that are tested.

    Parameters
    ----------
    table : ibis Table, or path of a parquet file, a folder of such files, a glob, or an address
        Parquet files, including those in nested folders, are read by an embedded DuckDB. Its memory
        is limited to 256 MiB per core or 1 GiB, whichever is larger; it writes the rest to a
        temporary folder. For other settings, pass an Ibis table of your own connection, one per
        thread.
    y_true, y_score : column name
        Binary labels of any type, positives labelled `pos_label`; finite scores, higher for more
        likely positives.
    by : column name or list of column names, default=None
        Rows with the same values in these columns form a group; missing values form their own.
        None: one curve of all rows.
    pos_label : scalar, default=1
        The label of the positives.
    sample_weight : column name, default=None
        Non-negative weights; rows of weight 0 are dropped. With weights that are equal within each
        class, rows are counted. For other weights, the engine returns sums, and the curves have no
        intervals unless there are clusters or strata.
    counts : column name, default=None
        Numbers of identical rows, if the table is itself the result of a group-by.
    clusters, strata : column name, default=None
        As in `ConfusionCurve.from_predictions`. If given, the rows themselves are fetched.
    resolution : float > 0, default=None
        Number of cells per unit of the score. Cell k contains the scores from k / resolution up to
        but not including (k + 1) / resolution, which become ties at its lower edge. None: each
        distinct score is fetched.
    missing : "status" or "drop", default="status"
        As for `comparison.by_group`. Without `by`, "status" raises an error.

    Returns
    -------
    ConfusionCurve or pandas.DataFrame
        Without `by`, the curve, which is exact at its thresholds (the edges of the cells). With
        `by`, one row per group, sorted by the columns `by`, with missing values last. Further
        columns: `n_pos` and `n_neg` (rows of each class, also those of weight 0), `prior` (with
        weights), `curve`, and `status`: "ok", or why `curve` is None and `prior` NaN. With
        ``missing="drop"``, also `n_dropped`. If no group has positives and the labels are not all
        0, or all groups together have more than two labels, an error is raised.

    Examples
    --------
    The second month has no positives, and its status says so:

    >>> import ibis
    >>> import pandas as pd
    >>> from calibrated_metrics import tables
    >>> rows = pd.DataFrame(
    ...     {"month": [1, 1, 1, 2, 2], "fraud": [1, 0, 0, 0, 0], "score": [0.9, 0.4, 0.2, 0.3, 0.8]}
    ... )
    >>> table = ibis.memtable(rows)
    >>> found = tables.curves(table, y_true="fraud", y_score="score", by="month")
    >>> found[["month", "n_pos", "n_neg", "prior"]].round(3)
       month  n_pos  n_neg  prior
    0      1      1      2  0.333
    1      2      0      2    NaN
    >>> found["status"][1]
    'no positives among 2 rows'
    """
    cells = EACH_SCORE
    if resolution is not None:
        cells = Cells(_numbers.positive_number("resolution", resolution))
    _arguments.one_of("missing", missing, ("status", "drop"))
    _labels.single_label(pos_label)
    keys = [] if by is None else _columns.columns_of_groups(by, "table", _COLUMNS)
    columns = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    columns |= {"counts": counts, "clusters": clusters, "strata": strata}
    entries = count(table, "table", keys, columns, pos_label, cells)
    if by is None:
        lacks = entries.n_missing > 0
        are_all = missing == "status" or not lacks.any()
        curve = entries.data_of(slice(None) if are_all else np.flatnonzero(~lacks))
        warn_of_missing(missing, [int(entries.n_missing.sum())])
        return curve
    groups, found = groups_of(entries, pos_label, missing)
    of_groups = {name: [getattr(each, name) for each in found] for name in ("n_pos", "n_neg")}
    of_groups["prior"] = [math.nan if each.data is None else each.data.prior for each in found]
    of_groups |= {"curve": [each.data for each in found], "status": [each.status for each in found]}
    if missing == "drop":
        of_groups["n_dropped"] = [each.n_missing for each in found]
    return groups.table(np.arange(len(found)), of_groups)
