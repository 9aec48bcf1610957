"""Figure 3's numbers are right, and it shows what it is there to show."""

from fractions import Fraction

import pytest

from reproduction.illustration import experiment as prior_illustration

SAME = ("recall", "fpr", "precision_calibrated", "f1_calibrated")
LOWER = ("prior", "precision", "f1")


@pytest.fixture(scope="module")
def instances():
    return prior_illustration.instances()


@pytest.fixture(scope="module")
def numbers(instances):
    return prior_illustration.numbers(instances)


def test_both_populations_are_ranked_alike(instances):
    first, second = (rows.reset_index(drop=True) for _, rows in instances.groupby("population"))
    assert first[["score", "y_true"]].equals(second[["score", "y_true"]])
    assert first["score"].is_monotonic_decreasing
    assert (first["score"] != 0).all()
    assert first["present"].all()


def test_half_of_the_positives_on_either_side_are_removed(instances):
    second = instances[instances["population"] == prior_illustration.POPULATIONS[1]]
    assert second.loc[second["y_true"] == 0, "present"].all()
    positives = second[second["y_true"] == 1]
    for side in (positives["score"] > 0, positives["score"] < 0):
        assert positives.loc[side, "present"].mean() == 0.5


def test_the_numbers_are_those_of_a_count(instances, numbers):
    for (population, rows), row in zip(
        instances[instances["present"]].groupby("population", sort=False),
        numbers.to_dict("records"),
        strict=True,
    ):
        assert row["population"] == population
        positive, above = rows["y_true"] == 1, rows["score"] >= 0
        tp, fp = int((positive & above).sum()), int((~positive & above).sum())
        n_pos, n_neg = int(positive.sum()), int((~positive).sum())
        assert (row["tp"], row["fp"], row["n_predicted"]) == (tp, fp, tp + fp)
        assert (row["n_pos"], row["n_neg"]) == (n_pos, n_neg)
        ratio = Fraction(n_pos, n_neg) * Fraction(16, 8)
        exact = {
            "prior": Fraction(n_pos, n_pos + n_neg),
            "recall": Fraction(tp, n_pos),
            "fpr": Fraction(fp, n_neg),
            "precision": Fraction(tp, tp + fp),
            "f1": Fraction(2 * tp, tp + fp + n_pos),
            "precision_calibrated": tp / (tp + ratio * fp),
            "f1_calibrated": 2 * tp / (tp + ratio * fp + n_pos),
        }
        for name, value in exact.items():
            assert row[name] == pytest.approx(float(value), rel=1e-12), name


@pytest.mark.parametrize("pi0", [None, 0.5, 0.05])
def test_calibrated_numbers_stay_and_ordinary_ones_fall(instances, pi0):
    full, thinned = prior_illustration.numbers(instances, pi0=pi0).to_dict("records")
    for name in SAME:
        assert thinned[name] == pytest.approx(full[name], rel=1e-12), name
    for name in LOWER:
        assert thinned[name] < full[name] - 0.05, name


def test_the_reference_prior_is_that_of_the_first_population(numbers):
    assert (numbers["pi0"] == numbers["prior"][0]).all()
    assert numbers["precision_calibrated"][0] == numbers["precision"][0]


def test_a_reference_prior_outside_0_and_1_is_refused(instances):
    with pytest.raises(ValueError, match="pi0"):
        prior_illustration.numbers(instances, pi0=1.0)
