"""How rows were drawn: alone or in clusters, from strata, by an audit, and with which weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.codes import Codes

__all__ = ["BoolArray", "DrawnRows"]

BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Labelled, scored rows and how they were drawn: by default, independent, of weight 1.

    Attributes
    ----------
    positive, score : ndarray of shape (n_rows,)
        Labels and scores. The score of a decision is 1 for an alert, otherwise 0.
    dtype : numpy.dtype
        That of the scores as they were given. Thresholds are rounded to it.
    number : ndarray of shape (n_rows,) or None
        Number of identical rows that each row represents. None: one.
    weight, class_weight : ndarray of shape (n_rows,) or None, pair of float
        Weight of each row. None: all rows of a class have the same weight, which `class_weight`
        gives for a positive and for a negative, such as the inverse of the rate at which the rows
        of the class were kept.
    clusters, strata : Codes of n_rows labels or None
        Rows of a cluster may depend on each other. The number of rows drawn from a stratum was
        fixed, and they have the same weight.
    fraction : ndarray of shape (n_rows,) or None
        Share of the population of its stratum that an audit drew, without replacement; 0 if the
        population is unlimited. None: the rows are those of no audit.
    scored : ndarray of shape (n_rows,) or None
        Number of scored rows of its stratum, from which an audit drew some. These rows were drawn
        from the population, so the shares of the strata are estimated (two-phase sampling). None:
        the shares are known.
    score_range : ndarray of shape (n_rows, 2) or None
        Lowest and highest score of all rows of its stratum, for audits.
    without_errors : str or None
        Why errors cannot be estimated from the rows.
    """

    positive: BoolArray
    score: FloatArray
    dtype: Any = np.float64
    number: FloatArray | None = None
    weight: FloatArray | None = None
    class_weight: tuple[float, float] = (1.0, 1.0)
    clusters: Codes | None = None
    strata: Codes | None = None
    fraction: FloatArray | None = None
    scored: FloatArray | None = None
    score_range: FloatArray | None = None
    without_errors: str | None = None

    @property
    def is_audit(self) -> bool:
        """Whether rows were drawn from strata of rows that all have scores."""
        return self.fraction is not None

    @property
    def is_plain(self) -> bool:
        """Whether the rows of a class are independent and alike."""
        return self.weight is None and self.error_clusters is None and self.error_strata is None

    def require_alike(self, name: str) -> None:
        """Refuse rows that are dependent, or whose weights differ in a class."""
        held = {
            "clusters": self.error_clusters,
            "strata": self.error_strata,
            "weights": self.weight,
        }
        given = [each for each, values in held.items() if values is not None]
        if given or self.without_errors is not None:
            raise ValueError(
                f"{name} must hold independent rows, with equal weights within each class and "
                f"without clusters or strata, got {' and '.join(given) or self.without_errors}"
            )

    @property
    def has_both_classes(self) -> bool:
        return bool(self.positive.any()) and not self.positive.all()

    @cached_property
    def fixes_prior(self) -> bool:
        """Whether the numbers of rows of both classes were fixed: each stratum lies in one class.

        The strata of an audit do not fix them: they may have rows of only one class by chance.
        """
        if self.strata is None or self.is_audit or not self.has_both_classes:
            return False
        n_pos, n = np.bincount(self.strata.code, self.positive), np.bincount(self.strata.code)
        return bool(((n_pos == 0) | (n_pos == n)).all())

    @property
    def has_segments(self) -> bool:
        """Whether the strata are segments, whose numbers of rows of both classes are random."""
        return not (self.strata is None or self.fixes_prior or self.is_audit)

    @cached_property
    def error_strata(self) -> Codes | None:
        """The strata within which errors are centred; None if there are no others than the classes.

        A single stratum, and one stratum per class, need no further centring.
        """
        if self.strata is None or self.is_audit:
            return self.strata
        n_strata = len(self.strata.labels)
        is_simple = n_strata == 1 or (n_strata == 2 and self.fixes_prior)
        return None if is_simple else self.strata

    @cached_property
    def error_clusters(self) -> Codes | None:
        """The clusters over which errors are summed; None if each has one row."""
        return None if self.clusters is None or self.clusters.are_distinct else self.clusters

    @property
    def stratum_of_cluster(self) -> NDArray[np.intp]:
        """Code of the stratum of each cluster, if each lies in one stratum."""
        assert self.clusters is not None
        assert self.strata is not None
        found = np.empty(len(self.clusters.labels), np.intp)
        found[self.clusters.code] = self.strata.code
        return found

    @property
    def clusters_are_within_strata(self) -> bool:
        """Whether the rows of each cluster lie in one stratum."""
        if self.clusters is None or self.error_strata is None:
            return True
        stratum = self.stratum_of_cluster[self.clusters.code]
        return bool((stratum == self.error_strata.code).all())

    def has_alert(self, threshold: float) -> BoolArray:
        """Whether the score of each row is at least the threshold."""
        alert: BoolArray = self.score >= _numbers.in_dtype(threshold, self.dtype)
        return alert

    def fixes_alerts(self, threshold: float) -> bool:
        """Whether the strata of an audit fixed the share of alerts: each is on one side of it."""
        if self.score_range is None:
            return False
        lowest, highest = (self.score_range >= _numbers.in_dtype(threshold, self.dtype)).T
        return bool((lowest == highest).all())
