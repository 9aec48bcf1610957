"""The column of reference priors."""

import math

from reproduction.core.metrics import Metric, TimesPrior


def test_an_ordinary_metric_has_none():
    assert math.isnan(Metric("roc_auc").pi0_at())
    assert math.isnan(Metric("roc_auc").pi0_at(0.2))


def test_a_fixed_reference_prior_is_itself():
    assert Metric("roc_auc", 0.3).pi0_at() == Metric("roc_auc", 0.3).pi0_at(0.2) == 0.3


def test_a_multiple_of_the_prior_needs_the_prior():
    metric = Metric("roc_auc", TimesPrior(10))
    assert pi0_of(metric, 0.02) == 0.2
    assert math.isnan(pi0_of(metric))
