"""How late or wrong labels are, and where such labels are used: groups, models and thresholds."""

import copy
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    classification_report,
    comparison,
    label_errors,
    label_free,
)
from calibrated_metrics.displays import ChangeDisplay
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, difference, interval, p_value

PRECISION = Metric("precision", threshold=1.5)


def reports(n=4000, seed=1, horizon=300, mean=30):
    """Times of events and of their reports that are seen at the horizon."""
    rng = np.random.default_rng(seed)
    event = rng.uniform(0, horizon, n)
    report = event + rng.exponential(mean, n)
    seen = report <= horizon
    return event[seen], report[seen]


# ------------------------------------------------------------------------------ arrival of labels


def test_the_share_of_mature_months_is_an_empirical_distribution():
    event, report = np.array([0.0, 1, 2, 3, 90]), np.array([5.0, 3, 22, 43, 91])
    found = label_errors.known_by_age([0, 2, 10, 50], event, report, as_of=100, longest_delay=50)
    np.testing.assert_allclose(found.value, [0, 0.25, 0.5, 1])  # the last event is too young
    assert found.method == "reports within 50 of 4 events of at least this age"
    assert found.low[3] == found.high[3] == 1


def test_reversed_time_is_a_product_over_longer_delays():
    event, report = reports(60)
    delay, window, ages = report - event, 300 - event, np.array([3.0, 10, 40])
    found = label_errors.known_by_age(ages, event, report, as_of=300)
    for age, value in zip(ages, found.value, strict=True):
        slow = 1.0
        for each in delay[delay > age]:
            slow *= 1 - 1 / np.sum((delay <= each) & (window >= each))
        assert value == pytest.approx(slow, rel=1e-12)
    assert "relative to the longest delay seen" in found.method


@pytest.mark.parametrize("longest_delay", [150, None])
def test_both_ways_are_near_the_truth_and_all_months_are_not(longest_delay):
    ages, (event, report) = np.array([15.0, 30.0]), reports()
    truth = 1 - np.exp(-ages / 30)
    found = label_errors.known_by_age(ages, event, report, as_of=300, longest_delay=longest_delay)
    assert ((found.low < truth) & (truth < found.high)).all()
    young = event > 260
    biased = np.mean((report - event)[young] <= 15)
    assert biased > found.high[0]


def test_dates_are_times_in_days():
    event, report = reports(500)
    day = np.timedelta64(1, "D")
    start, ages = np.datetime64("2026-01-01"), np.array([4, 20])
    dates = [start + np.floor(each).astype(int) * day for each in (event, report)]
    found = label_errors.known_by_age(
        ages * day, *dates, as_of=start + 300 * day, longest_delay=100 * day
    )
    wanted = label_errors.known_by_age(
        ages, np.floor(event), np.floor(report), as_of=300, longest_delay=100
    )
    np.testing.assert_array_equal(found.value, wanted.value)
    frame = pd.DataFrame({"event": dates[0], "report": dates[1]})
    now = pd.Timestamp(start) + pd.Timedelta(days=300)
    found = label_errors.known_by_age(
        pd.to_timedelta(ages, unit="D"),
        frame["event"],
        frame["report"],
        as_of=now,
        longest_delay=pd.Timedelta(days=100),
    )
    np.testing.assert_array_equal(found.value, wanted.value)


def remarks_on_reports(event, report, as_of=240):
    seen = (report >= 0) & (report <= as_of)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        label_errors.known_by_age([30], event[seen], report[seen], as_of=as_of, longest_delay=120)
    return [str(each.message) for each in caught]


def test_reports_after_the_longest_delay_are_warned_of():
    """36.8 % of the delays are above 30, and 0.25 % above 180."""
    event, report = reports(1000)
    given = {"as_of": 300, "longest_delay": 30}
    with pytest.warns(
        IntervalWarning, match=r"^3[0-9] % of the .* came after longest_delay, 30: give"
    ):
        label_errors.known_by_age([30], event, report, **given)
    label_errors.known_by_age([30], event, report, as_of=300, longest_delay=180)


@pytest.mark.parametrize("seed", range(5))
def test_events_from_before_the_first_report_are_warned_of(seed):
    """A system that keeps reports from day 0 on, and lists older cases if they are reported."""
    rng = np.random.default_rng(seed)
    event = rng.uniform(-200, 240, 1000)
    (remark,) = remarks_on_reports(event, event + rng.exponential(30, 1000))
    assert "events are older than the first report" in remark


@pytest.mark.parametrize(("growth", "trend"), [(20, "longer"), (-20, "shorter")])
def test_delays_that_change_with_the_calendar_are_warned_of(growth, trend):
    rng = np.random.default_rng(0)
    event = rng.uniform(0, 240, 5000)
    delay = rng.exponential(30 + growth * (event / 240 - 0.5))
    (remark,) = remarks_on_reports(event, event + delay)
    assert f"the delays of later events are {trend}" in remark


@pytest.mark.parametrize("days", [0, 1], ids=["exact times", "whole days"])
def test_constant_delays_are_rarely_doubted(days):
    """A share of 0.02 of 400 simulations had a remark; the number of events may grow."""
    rng, n_doubted = np.random.default_rng(1), 0
    for _ in range(40):
        event, delay = 240 * np.sqrt(rng.uniform(size=500)), rng.lognormal(3, 1, 500)
        if days:
            event, delay = np.floor(event), np.floor(delay)
        n_doubted += bool(remarks_on_reports(event, event + delay))
    assert n_doubted <= 4  # exceeded with a probability below 0.002


def reports_in_files(days, n=10_000, horizon=240):
    """Times of all files, and events with the files in which their reports arrived by the last."""
    files, rng = horizon - days * np.arange(horizon // days + 2)[::-1], np.random.default_rng(days)
    event = rng.uniform(0, horizon, n)
    arrived = event + rng.exponential(30, n)
    seen = arrived <= horizon
    return files, event[seen], files[files.searchsorted(arrived[seen])]


@pytest.mark.parametrize("longest_delay", [120, None])
@pytest.mark.parametrize("days", [7, 30])
def test_reports_that_arrive_in_files_are_counted_in_files(days, longest_delay):
    files, event, report = reports_in_files(days)
    ages = np.linspace(0, 30, 31)
    given = {"as_of": 240, "longest_delay": longest_delay}
    found = label_errors.known_by_age(ages, event, report, files=files, **given)
    truth = 1 - np.exp(-ages / 30)  # at the look on the day of a file
    assert found.value.mean() == pytest.approx(truth.mean(), abs=0.025)
    assert "files" in found.method
    with pytest.warns(IntervalWarning, match="seem to arrive in files: give their times as files"):
        wrong = label_errors.known_by_age(ages, event, report, **given)
    assert wrong.high.mean() < truth.mean()
    start, day = np.datetime64("2026-01-01"), np.timedelta64(1, "D")
    dates = [start + np.rint(each * 86_400).astype("m8[s]") for each in (event, report)]
    given |= {"as_of": start + 240 * day, "files": start + files * day}
    given["longest_delay"] = longest_delay and longest_delay * day
    of_dates = label_errors.known_by_age(pd.to_timedelta(ages, unit="D"), *dates, **given)
    np.testing.assert_array_equal(of_dates.value, found.value)


@pytest.mark.parametrize("day", [0.0, 1.0], ids=["times", "dates"])
def test_reports_of_each_day_are_no_files(day):
    event, report = (np.floor(each) if day else each for each in reports(600))
    label_errors.known_by_age([3.0], event, np.ceil(report), as_of=301, longest_delay=150)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"report": [1.0, 2.0]}, "report - event must not be negative"),
        ({"report": [4.0, 5.0, 6.0]}, "same length: event has 2, report has 3"),
        ({"event": ["2026-01-01"] * 2}, "event must hold numbers, dates or datetimes, got '2026"),
        ({"as_of": None}, "as_of must hold real numbers, got None"),
        ({"as_of": pd.NA}, "as_of must hold real numbers, got <NA>"),
        ({"as_of": 10**400}, "as_of must hold numbers within float64"),
        ({"event": [math.nan, 3.0]}, "event must be finite, got nan at index 0"),
        ({"report": np.array([4, "NaT"], "M8[D]")}, "got NaT: pass reported events only"),
        ({"as_of": pd.Timestamp("2026-01-01")}, "event numbers, report numbers, as_of dates"),
        (
            {"age": [pd.Timestamp("2026-01-01")]},
            "age must hold numbers, as event does, got 2026-01",
        ),
        ({"age": [pd.Timedelta(days=1)]}, "age must hold numbers, as event does, got 8640"),
        (
            {"event": pd.Series([2.0, 3.0]), "report": pd.Series([5.0, 4.0], index=[1, 0])},
            "event and report must have the same index",
        ),
        ({"as_of": 4.0}, "as_of - report must not be negative"),
        ({"age": [-1.0]}, "age must not be negative"),
        ({"longest_delay": 200.0}, "events 200 or more before as_of, got none"),
        ({"event": [3.0, 99.0], "report": [80.0, 99.5]}, "at least two events that are old enough"),
        ({"files": [4.0, 100.0]}, "files must hold the time of each report"),
        ({"files": [4.0, 5.0]}, "files must hold the times of all files from the first event"),
    ],
)
def test_times_that_cannot_be_used_are_refused(given, message):
    times = {"age": [1.0], "event": [2.0, 3.0], "report": [4.0, 5.0], "as_of": 100.0}
    with pytest.raises((TypeError, ValueError), match=message):
        label_errors.known_by_age(**{**times, **given})


def test_shares_of_rows_in_another_order_are_refused():
    """The estimate remembers the index of the ages, also as a copy."""
    event, report = reports(300)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"month": np.arange(400) // 200, "age": rng.uniform(0, 60, 400)})
    frame["y"], frame["s"] = np.arange(400) % 3 == 0, rng.normal(size=400)
    given = {"event": event, "report": report, "as_of": 300, "longest_delay": 100}
    known = label_errors.known_by_age(frame["age"], **given)
    assert known == label_errors.known_by_age(frame["age"].to_numpy(), **given)
    columns = {"y_true": "y", "y_score": "s", "metrics": "roc_auc", "label_sensitivity": known}
    comparison.by_group(frame, "month", **columns)
    other = frame.sort_values("s")
    message = "label_sensitivity must have the same index, row by row; pass .to_numpy.. of age in"
    for each in (known, pickle.loads(pickle.dumps(known)), copy.deepcopy(known)):
        with pytest.raises(ValueError, match=f"frame and {message}"):
            comparison.by_group(other, "month", **columns | {"label_sensitivity": each})
        with pytest.raises(ValueError, match=f"y_true and {message}"):
            label_errors.from_predictions(other["y"], other["s"], label_sensitivity=each)


CONTAINERS = {
    "series": pd.Series,
    "datetimes": lambda times: times.to_pydatetime().tolist(),
    "dates": lambda times: times.date.tolist(),
    "Arrow": lambda times: pd.Series(times).astype("timestamp[us][pyarrow]"),
    "series with a zone": lambda times: pd.Series(times.tz_localize("UTC")),
    "timestamps with a zone": lambda times: list(times.tz_localize("UTC").tz_convert("Asia/Tokyo")),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_dates_of_each_container_are_read_or_refused(name):
    event, report = (np.floor(each) for each in reports(200))
    start, convert = pd.Timestamp("2026-01-01"), CONTAINERS[name]
    event_dates, report_dates = (
        convert(start + pd.to_timedelta(each, unit="D")) for each in (event, report)
    )
    now, day = start + pd.Timedelta(days=300), pd.Timedelta(days=1)
    zone, other = ("UTC", None) if "zone" in name else (None, "UTC")
    found, wanted = (
        label_errors.known_by_age(
            [4 * unit, 20 * unit], *times, as_of=as_of, longest_delay=100 * unit
        )
        for unit, times, as_of in (
            (day, (event_dates, report_dates), now.tz_localize(zone)),
            (1, (event, report), 300),
        )
    )
    np.testing.assert_array_equal((found.value, found.low), (wanted.value, wanted.low))
    with pytest.raises(TypeError, match="must be times of the same kind"):
        label_errors.known_by_age([day], event_dates, report_dates, as_of=now.tz_localize(other))
    if isinstance(event_dates, list):
        with pytest.raises(TypeError, match="event must hold times of one kind, and none"):
            label_errors.known_by_age([day], [*event_dates, pd.NaT], report_dates, as_of=now)


# ------------------------------------------------------------------------- judges and references


def judged(n=2000, seed=0, prior=0.3, slope=0.0):
    """Truth, labels of a judge with errors, and scores on which the errors may depend."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < prior
    score = rng.normal(1.5 * truth)
    sensitivity = 1 / (1 + np.exp(-1.2 - slope * (score - 1.5)))
    return truth, rng.random(n) < np.where(truth, sensitivity, 0.08), score


def test_rates_of_a_random_subsample_are_shares_with_exact_limits():
    truth, label, _ = judged(300)
    found = label_errors.rates(truth, label)
    k, n = int((truth & label).sum()), int(truth.sum())
    assert found.sensitivity.value == k / n
    wanted = interval("sensitivity", (truth, label))
    assert (found.sensitivity.low, found.sensitivity.high) == (wanted.low, wanted.high)
    assert found.specificity.value == np.mean(~label[~truth])
    assert found.verdict == "independence of errors and scores was not tested"


def test_a_subsample_chosen_by_label_needs_all_labels():
    truth, label, _ = judged(40_000, prior=0.1)
    rng = np.random.default_rng(1)
    chosen = rng.random(len(label)) < np.where(label, 0.1, 0.01)
    naive = label_errors.rates(truth[chosen], label[chosen]).sensitivity.value
    found = label_errors.rates(truth[chosen], label[chosen], chosen_by="label", all_labels=label)
    true = np.mean(label[truth])
    assert found.sensitivity.low < true < found.sensitivity.high
    assert naive > true + 0.05
    share, ppv = label.mean(), truth[chosen & label].mean()
    missed = truth[chosen & ~label].mean()
    begg_greenes = share * ppv / (share * ppv + (1 - share) * missed)
    assert found.sensitivity.value == pytest.approx(begg_greenes, rel=1e-12)
    with pytest.raises(ValueError, match="all_labels must be given"):
        label_errors.rates(truth, label, chosen_by="label")


def test_rates_allow_for_clusters():
    truth, label, score = judged(600)
    annotator = np.arange(600) % 12
    label = np.where(annotator < 4, truth, label)
    found = label_errors.rates(truth, label, score, clusters=annotator)
    matrix = ConfusionMatrix.from_predictions(truth, label, clusters=annotator)
    assert found.specificity == interval("specificity", matrix)
    assert math.isnan(found.p_value)
    with pytest.raises(ValueError, match='clusters must be None for chosen_by="label"'):
        label_errors.rates(truth, label, chosen_by="label", all_labels=label, clusters=annotator)


def test_the_error_of_the_shares_of_all_labels_is_added():
    """The limits of Begg and Greenes: fully checked, the error is that of a random sample."""
    truth, label, _ = judged(500)
    found = label_errors.rates(truth, label, chosen_by="label", all_labels=label)
    wanted = label_errors.rates(truth, label)
    for one, other in zip(found[:2], wanted[:2], strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.05)
        assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.15)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"all_labels": ["Pos", "neg", "neg"]},
            "all_labels must hold labels of reference only",
        ),
        ({"all_labels": ["pos", None, "neg"]}, "all_labels must not hold missing labels"),
        (
            {"all_labels": ["pos", "neg"], "label": ["neg"] * 4},
            "label must hold rows of each label",
        ),
        ({"label": ["pos"], "all_labels": ["pos"]}, "same length: reference has 4, label has 1"),
        (
            {"chosen_by": "score", "y_score": pd.Series(range(4), index=[3, 2, 1, 0])},
            "reference and y_score must have the same index",
        ),
    ],
)
def test_labels_of_a_reference_that_cannot_be_used_are_refused(given, message):
    rows = {"reference": pd.Series(["pos", "neg", "pos", "neg"]), "pos_label": "pos"}
    rows |= {"label": ["pos", "neg", "neg", "neg"], "chosen_by": "label"}
    with pytest.raises(ValueError, match=message):
        label_errors.rates(**{**rows, **given})


def test_limits_of_the_prior_are_exact_ones_of_the_share_of_labels():
    given = {"label_sensitivity": 0.85, "label_specificity": 0.99}
    for k in (0, 1, 10):
        found = label_errors.prior(np.arange(50) < k, **given)
        limits = binomtest(k, 50).proportion_ci(method="exact")
        wanted = (max(share - 0.01, 0) / 0.84 for share in (k / 50, *limits))
        assert (found.value, found.low, found.high) == pytest.approx(tuple(wanted), abs=1e-12)
        assert found.remarks == ()


def test_shares_below_rounding_are_zero():
    """4 of 80 labels are fewer than the 4.8 that a specificity of 0.94 lets expect."""
    given = {"label_sensitivity": 0.84, "label_specificity": 0.94}
    labels = label_errors.from_predictions(np.arange(80) < 4, np.arange(80.0), **given)
    assert labels.prior == labels.value(Metric("precision", threshold=10.0)) == 0


@pytest.mark.parametrize(
    ("k", "s", "c", "message"),
    [
        (50, 0.9, 1.0, "no interval: 50 of 50 labels are positive, but .* at most 45 should be$"),
        (49, 0.9, 0.99, "at most 45 should be: their errors may be others"),
        (1, 0.9, 0.8, "no interval: 1 of 50 labels are positive, but .* at least 10 should be$"),
        (50, Estimate.normal(0.9, 0.03, bounds=(0, 1)), 0.99, "no value agrees with the labels"),
    ],
)
def test_labels_that_contradict_their_rates(k, s, c, message):
    given = {"label_sensitivity": s, "label_specificity": c}
    with pytest.warns(IntervalWarning, match=message):
        found = label_errors.prior(np.arange(50) < k, **given)
    assert not found.high <= found.low
    if 0 < k < 50:
        labels = label_errors.from_predictions(np.arange(50) < k, np.arange(50.0), **given)
        with pytest.warns(IntervalWarning, match=message):
            interval(Metric("precision", threshold=10.0), labels)


def test_errors_that_depend_on_the_score_are_found():
    refuted = [
        [label_errors.rates(*judged(600, seed, slope=slope)).p_value <= 0.05 for seed in range(60)]
        for slope in (0.0, 1.0)
    ]
    assert np.mean(refuted[0]) <= 0.12
    assert np.mean(refuted[1]) >= 0.8
    assert "is refuted (p = " in label_errors.rates(*judged(600, 1, slope=1.0)).verdict


def test_the_prior_of_a_published_table_is_that_of_its_labels():
    table, rates = ConfusionMatrix(tp=30, fp=57, fn=10, tn=65), {"label_sensitivity": 0.4}
    labels = np.repeat([1, 0], [40, 122])
    assert repr(label_errors.prior(table, **rates)) == repr(label_errors.prior(labels, **rates))
    report = classification_report(label_errors.from_predictions(table, **rates), metrics="ppv")
    assert "40 positives, 122 negatives" in str(report)


@pytest.mark.parametrize("drawn", ["clusters", "sample_weight", "strata"])
def test_a_table_whose_rows_are_not_alike_is_no_table_of_counts(drawn):
    y_true, decided = np.repeat([1, 0, 1, 0], [30, 57, 10, 65]), np.repeat([1, 0], [87, 75])
    column = {drawn: 1 + np.arange(162) % 3}
    matrix = ConfusionMatrix.from_predictions(y_true, decided, **column)
    for function in (label_errors.prior, label_errors.from_predictions):
        with pytest.raises(ValueError, match="of independent rows without weights and strata"):
            function(matrix, label_sensitivity=0.4)


def test_the_prior_agrees_with_that_without_labels():
    truth, label, _ = judged(1000)
    _, new, _ = judged(5000, seed=2, prior=0.2)
    found = label_errors.rates(truth, label)
    corrected = label_errors.prior(
        new, label_sensitivity=found.sensitivity, label_specificity=found.specificity
    )
    wanted = label_free.estimate_prior(new.astype(float), (truth, label.astype(float)))
    assert corrected.value == pytest.approx(wanted.value, abs=1e-6)
    assert corrected.low == pytest.approx(wanted.low, abs=0.01)
    assert corrected.high == pytest.approx(wanted.high, abs=0.01)


# ---------------------------------------------------------------------------- where rows come in


def late_month(n=20_000, prior=0.05, seed=0, sensitivity=0.6, quality=2.0):
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < prior
    known = fraud & (rng.random(n) < sensitivity)
    return fraud, known, rng.normal(quality * fraud)


def frame_of_months():
    months = []
    for month, sensitivity in (("May", 1.0), ("June", 0.5)):
        fraud, known, score = late_month(seed=len(months), sensitivity=sensitivity)
        columns = {"month": month, "fraud": fraud, "known": known, "score": score, "s": sensitivity}
        months.append(pd.DataFrame(columns))
    return pd.concat(months, ignore_index=True)


COLUMNS = {"y_true": "known", "y_score": "score", "metrics": "average_precision", "pi0": 0.05}


def test_groups_with_late_labels():
    frame = frame_of_months()
    table = comparison.by_group(frame, "month", **COLUMNS, label_sensitivity="s").set_index("month")
    truth = comparison.by_group(frame, "month", **{**COLUMNS, "y_true": "fraud"})
    true_value = truth.set_index("month")["value"]
    assert table.loc["May", "value"] == true_value["May"]
    assert table.loc["June", "low"] < true_value["June"] < table.loc["June", "high"]
    assert table["label_sensitivity"].to_list() == [0.5, 1.0]
    june = frame[frame["month"] == "June"]
    rates = {"label_sensitivity": june["s"].to_numpy()}
    labels = label_errors.from_predictions(june["known"], june["score"], **rates)
    assert table.loc["June", "low"] == interval("average_precision", labels, pi0=0.05).low


def test_groups_take_an_estimate_per_row_of_the_frame():
    frame = frame_of_months()
    s = frame["s"].to_numpy()
    estimate = Estimate(s, s * 0.9, s, s * 0.03, 0.95, "given")
    wide, narrow = (
        comparison.by_group(frame, "month", **COLUMNS, label_sensitivity=each)
        for each in (estimate, "s")
    )
    assert wide["value"].to_list() == narrow["value"].to_list()
    assert wide.loc[0, "high"] - wide.loc[0, "low"] > narrow.loc[0, "high"] - narrow.loc[0, "low"]


def test_a_number_is_the_rate_of_all_rows_and_columns_are_checked():
    frame = frame_of_months()
    june = frame[frame["month"] == "June"]
    one = comparison.by_group(june, "month", **COLUMNS, label_sensitivity=0.5)
    other = comparison.by_group(june, "month", **COLUMNS, label_sensitivity="s")
    assert one["low"].to_list() == other["low"].to_list()
    with pytest.raises(ValueError, match="label_sensitivity must name a column"):
        comparison.by_group(june, "month", **COLUMNS, label_sensitivity="none")
    estimate = Estimate(*[np.full(3, 0.5)] * 3, np.zeros(3), 0.95, "given")
    with pytest.raises(
        ValueError, match="label_sensitivity must be one number or 20000, one per row, got 3"
    ):
        comparison.by_group(june, "month", **COLUMNS, label_sensitivity=estimate)


def test_rows_of_weight_0_go_with_their_rates():
    fraud, _, score = late_month(4000, seed=5, prior=0.2)
    s = np.where(np.arange(4000) % 2, 0.5, 0.95)
    known = fraud & (np.random.default_rng(6).random(4000) < s)
    frame = pd.DataFrame({"month": 1, "known": known, "score": score, "s": s})
    frame["w"] = np.random.default_rng(7).integers(0, 2, 4000)
    kept = frame[frame["w"] == 1]
    found, wanted = (
        comparison.by_group(each, "month", **COLUMNS, label_sensitivity="s", **given)
        for each, given in ((frame, {"sample_weight": "w"}), (kept, {}))
    )
    counts = ["n_pos", "n_neg"]  # of all labelled rows
    pd.testing.assert_frame_equal(found.drop(columns=counts), wanted.drop(columns=counts))
    labels = label_errors.from_predictions(
        frame["known"], frame["score"], label_sensitivity=frame["s"], sample_weight=frame["w"]
    )
    assert interval("average_precision", labels, pi0=0.05).low == wanted.loc[0, "low"]
    with pytest.raises(ValueError, match="must be one number or 4000, one per row, got 2"):
        label_errors.from_predictions(
            known, score, label_sensitivity=[1, 0.5], sample_weight=frame["w"].to_numpy()
        )


def test_tables_refuse_late_labels(tmp_path):
    path = tmp_path / "rows.parquet"
    pytest.importorskip("duckdb")
    frame_of_months().to_parquet(path)
    with pytest.raises(ValueError, match="label_sensitivity must be None for a table or a path"):
        comparison.by_group(path, "month", **COLUMNS, label_sensitivity=0.5)


def test_months_with_incomplete_labels_have_open_markers():
    frame = frame_of_months()
    table = comparison.by_group(frame, "month", **COLUMNS, label_sensitivity="s")
    display = ChangeDisplay.from_values(table, period="month")
    assert display.incomplete_.get_xdata().tolist() == [0.0]
    assert "labels incomplete" in display.ax_.get_legend_handles_labels()[1]
    complete = comparison.by_group(frame, "month", **{**COLUMNS, "y_true": "fraud"})
    assert ChangeDisplay.from_values(complete, period="month").incomplete_ is None


# ----------------------------------------------------------------------------------- differences


def two_models(sensitivity, seed=0, n=20_000):
    rng = np.random.default_rng(seed)
    fraud, known, easy = late_month(n, seed=seed)
    scores = [easy + noise * rng.normal(size=n) for noise in (0.2, 0.8)]
    late = [label_errors.from_predictions(known, x, label_sensitivity=sensitivity) for x in scores]
    return late, [ConfusionCurve.from_predictions(fraud, x) for x in scores]


@pytest.mark.parametrize("metric", ["average_precision", PRECISION, "roc_auc"], ids=str)
def test_two_models_on_the_same_late_rows(metric):
    (a, b), truth = two_models(0.6)
    paired, apart = (difference(metric, a, b, paired=each) for each in (True, False))
    true_value = Metric(metric)(truth[0]) - Metric(metric)(truth[1])
    assert paired.low < true_value < paired.high
    assert paired.high - paired.low < apart.high - apart.low


def test_an_estimate_that_both_samples_share_moves_them_together():
    estimate = Estimate.normal(0.6, 0.08, bounds=(0, 1))
    same, _ = two_models(estimate)
    other = two_models(Estimate.normal(0.6, 0.08, bounds=(0, 1)))[0][1]
    together, apart = (difference(PRECISION, same[0], each) for each in (same[1], other))
    assert together.high - together.low < apart.high - apart.low


def test_a_shared_estimate_is_recognised_in_copies_and_in_workers():
    joblib = pytest.importorskip("joblib")
    models, _ = two_models(Estimate.normal(0.6, 0.08, bounds=(0, 1)), n=4000)
    wanted = difference("average_precision", *models, paired=True)
    apart = {
        "pickle": [pickle.loads(pickle.dumps(each)) for each in models],
        "copy": [copy.copy(each) for each in models],
        "deepcopy": [copy.deepcopy(each) for each in models],
        "workers": joblib.Parallel(n_jobs=2)(map(joblib.delayed(copy.copy), models)),
    }
    found = {
        name: difference("average_precision", *pair, paired=True) for name, pair in apart.items()
    }
    assert found == dict.fromkeys(found, wanted)


def test_a_recent_month_and_an_old_one():
    _, known, score = late_month(seed=3)
    old, _, old_score = late_month(seed=4)
    recent = label_errors.from_predictions(known, score, label_sensitivity=0.6)
    found = difference("average_precision", recent, (old, old_score), pi0=0.05)
    assert found.low < 0 < found.high


def test_rows_that_are_not_the_same_are_refused():
    (a, _), _ = two_models(0.6)
    (_, b), _ = two_models(0.7)
    with pytest.raises(ValueError, match="label_sensitivity differ"):
        difference("average_precision", a, b, paired=True)
    with pytest.raises(TypeError, match="labels with errors"):
        p_value("average_precision", a, b)


# ------------------------------------------------------------------------------------- thresholds


def test_a_threshold_is_chosen_as_on_the_true_labels():
    (a, _), (truth, _) = two_models(0.6)
    found, wanted = (
        choose_threshold(curve, pi0=0.02, min_precision=0.3, confidence_level=None)
        for curve in (a, truth)
    )
    assert found.threshold == pytest.approx(wanted.threshold, abs=0.3)
    assert not found.certified
    best = [choose_threshold(curve, beta=1, confidence_level=None) for curve in (a, truth)]
    assert best[0].value == pytest.approx(best[1].value, abs=0.03)


def test_a_guarantee_is_refused():
    (a, _), _ = two_models(0.6)
    with pytest.raises(ValueError, match="confidence_level must be None for labels with errors"):
        choose_threshold(a, min_precision=0.3)


def test_labels_survive_a_pickle():
    (a, _), _ = two_models(0.6)
    for each in (a, a.at_prior(0.1)):
        copied = pickle.loads(pickle.dumps(each))
        assert copied.prior == each.prior
        assert copied.value("roc_auc") == each.value("roc_auc")


def test_labels_of_one_decision_that_contradict_the_rates_are_noticed():
    """All rows together agree with them; then sensitivity would be 1, from 1 to 1."""
    matrix = ConfusionMatrix(tp=90, fp=40, fn=20, tn=850)
    rates = {"label_sensitivity": 0.8, "label_specificity": 0.96}
    data = label_errors.from_predictions(matrix, **rates)
    message = "20 of 870 labels of other rows are positive, but by their specificity, at least 34.8"
    with pytest.warns(IntervalWarning, match=message):
        assert interval("sensitivity", data, pi0=0.1).value == 1
    agreeing = label_errors.from_predictions(matrix, **{**rates, "label_specificity": 0.98})
    assert interval("sensitivity", agreeing).remarks == ()


def test_rows_that_say_nothing_are_left_out_and_named_if_their_scores_differ():
    """Alerts that are reviewed at once, and other rows of which hardly any label is known."""
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < 0.1
    score = rng.normal(2 * positive)
    sensitivity = np.where(score >= 2, 1.0, 0.03)
    known = positive & (rng.random(2000) < sensitivity)
    labels = label_errors.from_predictions(known, score, label_sensitivity=sensitivity)
    n_alerts = np.count_nonzero(score >= 2)
    assert repr(labels).startswith(f"LabelsWithErrors({n_alerts} of 2000 rows,")
    match = f"{2000 - n_alerts} of 2000 rows are left out, .* the result is about the rest only"
    with pytest.warns(IntervalWarning, match=match):
        interval("average_precision", labels)
    with pytest.warns(IntervalWarning, match=match):
        difference("average_precision", labels, labels, paired=True)

    sensitivity = rng.permutation(sensitivity)
    known = positive & (rng.random(2000) < sensitivity)
    labels = label_errors.from_predictions(known, score, label_sensitivity=sensitivity)
    with warnings.catch_warnings():
        warnings.simplefilter("error", IntervalWarning)
        interval("average_precision", labels)


def test_the_prior_of_a_group_without_known_positives_is_not_0():
    frame = pd.DataFrame({"month": [1, 1, 2, 2], "label": [1, 0, 0, 0], "score": [2, 1, 2, 1]})
    table = comparison.by_group(
        frame,
        "month",
        y_true="label",
        y_score="score",
        metrics="average_precision",
        pi0=None,
        label_sensitivity=0.5,
        confidence_level=None,
    )
    assert table[["prior", "pi0", "label_sensitivity"]].isna().to_numpy()[1].all()
    assert table["status"][1] == "no positives among 2 rows"
