"""Labelled rows and new rows without labels: the estimated prior, the fit test, joint draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._label_free.em import em_prior
from calibrated_metrics._label_free.histograms import Histograms, bin_edges
from calibrated_metrics._label_free.results import LabelShiftTest
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["LabelShift"]

_ROWS_PER_BIN = 2  # labelled rows of the rarer class; with fewer, χ² rejects too often


class LabelShift:
    """Labelled rows, and new rows that are assumed to differ in the class ratio only."""

    def __init__(
        self,
        y_score_new: ArrayLike,
        labelled: tuple[ArrayLike, ArrayLike],
        *,
        pos_label: Any,
        n_bins: int,
        thresholds: Sequence[float] = (),
    ):
        self.new = _checks.finite_vector("y_score_new", y_score_new)
        if not isinstance(labelled, tuple | list) or len(labelled) != 2:
            raise TypeError(
                "labelled must be the pair (y_true, y_score) of the labelled rows, got "
                f"{type(labelled).__name__}"
            )
        self.scores = _checks.finite_vector("labelled y_score", labelled[1])
        labels = _checks.vector("labelled y_true", labelled[0])
        _checks.same_index(**{"labelled y_true": labelled[0], "labelled y_score": labelled[1]})
        _checks.same_length(**{"labelled y_true": labels, "labelled y_score": self.scores})
        self.positive = _checks.is_positive(labels, pos_label, "labelled y_true")
        n_bins = _checks.integer_at_least("n_bins", n_bins, 2)
        rarer = min(np.count_nonzero(self.positive), np.count_nonzero(~self.positive))
        most_bins = min(n_bins, max(2, int(rarer) // _ROWS_PER_BIN))
        self._edges = bin_edges(self.positive, self.scores, most_bins)
        if self._edges.size == 0:
            raise ValueError(
                "labelled y_score must not be all equal, as the prior of new rows cannot be "
                f"estimated from it: got only {self.scores[0]}"
            )
        self._thresholds = thresholds

    # ------------------------------------------------------------------ prior and fit test

    @cached_property
    def histograms(self) -> Histograms:
        bins = len(self._edges) + 1

        def counts(scores: FloatArray) -> FloatArray:
            bin_of = np.searchsorted(self._edges, scores, side="right")
            return np.bincount(bin_of, minlength=bins).astype(np.float64)

        return Histograms(
            counts(self.scores[self.positive]),
            counts(self.scores[~self.positive]),
            counts(self.new),
        )

    @cached_property
    def prior(self) -> float:
        return float(self.histograms.prior())

    @cached_property
    def test(self) -> LabelShiftTest:
        fit = self.histograms.fit_at(self.prior)
        statistic, df = float(self.histograms.chi_square(fit)), self.histograms.n_bins - 2
        return LabelShiftTest(statistic, df, float(chdtrc(df, statistic)) if df else np.nan)

    def drawn_priors(self, n_draws: int, generator: np.random.Generator) -> FloatArray:
        """Estimates on joint draws of the labelled rows of each class and of the new rows."""
        pos, neg, new = (
            generator.multinomial(int(counts.sum()), counts / counts.sum(), size=n_draws)
            for counts in (self.histograms.pos, self.histograms.neg, self.histograms.new)
        )
        return Histograms(pos, neg, new).prior()

    # ------------------------------------------------------------------------------- by EM

    @cached_property
    def em_prior(self) -> float:
        probability = _checks.probabilities("labelled y_score", self.scores)
        new = _checks.probabilities("y_score_new", self.new)
        return em_prior(new, float(probability.mean()))

    def drawn_em_priors(self, n_draws: int, generator: np.random.Generator) -> FloatArray:
        n, n_new, start = len(self.scores), len(self.new), self.em_prior
        return np.array(
            [
                em_prior(
                    self.new,
                    float(self.scores[generator.integers(n, size=n)].mean()),
                    weight=np.bincount(generator.integers(n_new, size=n_new), minlength=n_new),
                    start=start,
                )
                for _ in range(n_draws)
            ]
        )

    # ------------------------------------------------------------------------------ curves

    @cached_property
    def curve(self) -> ConfusionCurve:
        """Curve of the labelled rows."""
        return ConfusionCurve.from_predictions(self.positive, self.scores)
