"""How the rows of a sample were drawn: weights, clusters, strata and finite populations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray

__all__ = ["EQUAL_WEIGHTS", "BoolArray", "Codes", "Design"]

BoolArray: TypeAlias = NDArray[np.bool_]
EQUAL_WEIGHTS = 1e-9  # relative spread below which weights are equal


@dataclass(frozen=True, eq=False)
class Codes:
    """Labels of rows as integers: row i has ``labels[code[i]]``. The distinct labels ascend."""

    code: NDArray[np.intp]
    labels: NDArray[Any]

    @classmethod
    def of(cls, name: str, labels: NDArray[Any]) -> Codes:
        """The codes of the column `name`, whose labels must be sortable, and none missing."""
        _checks.none_missing(name, labels)
        try:
            distinct, code = _coded(labels)
        except TypeError as error:
            raise TypeError(f"{name} must hold values that can be sorted: {error}") from None
        return cls(code, distinct)

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, rows: NDArray[Any]) -> Codes:
        """The codes of some rows, from 0 without gaps."""
        place, code = _coded(self.code[rows])
        return Codes(code, self.labels[place])

    @property
    def of_rows(self) -> NDArray[Any]:
        """The label of each row."""
        return self.labels[self.code]

    def joined(self, other: Codes) -> Codes:
        """These rows, then the other ones. Equal labels have one code."""
        labels, code = np.unique(np.append(self.labels, other.labels), return_inverse=True)
        of_rows = code[: len(self.labels)][self.code], code[len(self.labels) :][other.code]
        return Codes(np.concatenate(of_rows), labels)

    def with_own(self, n: int) -> Codes:
        """These rows and `n` more, each with a code of its own; labels of the data are lost."""
        n_codes = len(self.labels)
        return Codes(np.append(self.code, n_codes + np.arange(n)), np.arange(n_codes + n))


def _coded(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct labels, ascending, and the place of the label of each row among them."""
    if labels.dtype.kind in "iu" and labels.size:
        low, high = int(labels.min()), int(labels.max())
        if high - low < 4 * labels.size:  # they can be counted, which is faster than a sort
            shifted = (labels - labels.dtype.type(low)).astype(np.intp, copy=False)
            occurs = np.bincount(shifted) > 0
            code = (np.cumsum(occurs) - 1)[shifted]
            return (np.flatnonzero(occurs) + low).astype(labels.dtype), code
    distinct, code = np.unique(labels, return_inverse=True)
    return distinct, code


@dataclass(frozen=True, eq=False)
class Design:
    """How rows were drawn. By default, they are independent and weigh 1.

    Attributes
    ----------
    weight, class_weight : ndarray of shape (n_rows,) or None, pair of float
        Weight of each row. None: all rows of a class have the same weight, which `class_weight`
        gives for a positive and for a negative, such as the inverse of the rate at which the rows
        of the class were kept.
    clusters, strata : Codes of n_rows labels or None
        Rows of a cluster may depend on each other. The number of rows drawn from a stratum
        was fixed, and they have the same weight.
    fraction : ndarray of shape (n_rows,) or None
        Share of the rows of its stratum that were drawn without replacement. Estimates refer to
        this finite population. None: the population is unlimited.
    score_range : ndarray of shape (n_rows, 2) or None
        Lowest and highest score of all rows of its stratum, for designs with a `fraction`.
    """

    weight: FloatArray | None = None
    class_weight: tuple[float, float] = (1.0, 1.0)
    clusters: Codes | None = None
    strata: Codes | None = None
    fraction: FloatArray | None = None
    score_range: FloatArray | None = None

    @property
    def is_audit(self) -> bool:
        """Whether rows were drawn without replacement from strata of a finite population."""
        return self.fraction is not None

    @classmethod
    def of_rows(
        cls,
        positive: BoolArray,
        weight: FloatArray | None = None,
        clusters: Codes | None = None,
        strata: Codes | None = None,
    ) -> Self:
        """Check a design of rows. Weights that are equal in each class become those of classes.

        Raises
        ------
        ValueError
            If weights differ within a stratum, or if all strata have a single row.
        """
        if strata is not None and 2 < len(strata) == len(strata.labels):
            raise ValueError(
                f"strata must not all have a single row, got {len(strata)} of them: labels of rows "
                "that depend on each other are clusters"
            )
        cls(weight, strata=strata).check_weights()
        class_weight = (1.0, 1.0)
        if weight is not None and 0 < np.count_nonzero(positive) < len(positive):
            of_classes = weight[positive], weight[~positive]
            if all(np.ptp(of_class) <= EQUAL_WEIGHTS * of_class.max() for of_class in of_classes):
                class_weight, weight = (float(of_classes[0][0]), float(of_classes[1][0])), None
        return cls(weight, class_weight, clusters, strata)

    def check_weights(self) -> None:
        """Raise ``ValueError`` if weights differ within a stratum."""
        if self.weight is None or self.strata is None:
            return
        stratum = self.strata.code
        mean = np.bincount(stratum, weights=self.weight) / np.bincount(stratum)
        differs = np.abs(self.weight - mean[stratum]) > EQUAL_WEIGHTS * mean[stratum]
        if differs.any():
            label = self.strata.of_rows[[np.argmax(differs)]].tolist()[0]
            raise ValueError(
                f"sample_weight must be equal within each stratum, but differs in the stratum "
                f"{label!r}. If a share of the negatives was kept, give no strata; if numbers of "
                "rows were fixed in each class of each segment, give (segment, class) as strata"
            )

    def joined(self, other: Design, weight: FloatArray) -> Design:
        """The design of the rows of both. `weight` is that of all rows."""
        if self.is_audit or other.is_audit:
            raise ValueError("curves of audits cannot be added: their strata are not the same")
        same = self.weight is other.weight is None and self.class_weight == other.class_weight
        return Design(
            None if same else weight,
            self.class_weight if same else (1.0, 1.0),
            _joined("clusters", self.clusters, other.clusters),
            _joined("strata", self.strata, other.strata),
        )


def _joined(name: str, a: Codes | None, b: Codes | None) -> Codes | None:
    if (a is None) != (b is None):
        raise ValueError(f"{name} must be given for both curves that are added, or for none")
    return None if a is None or b is None else a.joined(b)
