"""Registered claims, their verdicts, and the error if a claim is broken."""

import dataclasses
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from ideal_tables import KAGGLE, SIMULATED, ideal_tables

from reproduction.claims import catalogue, check, lookup, registry
from reproduction.claims.lookup import AREA, AUC_PR, F1, GAIN, METRICS
from reproduction.claims.registry import (
    EXACT,
    QUALITATIVE,
    Above,
    AtMost,
    Bound,
    Claim,
    Context,
    Data,
    KnownGap,
    Tolerance,
    Verdict,
    as_by_default,
    at_least,
    equal,
    printed,
)
from reproduction.config import load_config
from reproduction.data.fraud_data import FraudData
from reproduction.files import write_csv
from reproduction.settings import Config, read_metrics

BY_ID = {claim.id: claim for claim in catalogue.CLAIMS}

SAMPLE = FraudData("file", "sample.parquet", False, 113_922, 163, "logistic regression", "abc")


def context(fraud=SIMULATED, /, **overlay):
    return Context(catalogue.settings_of(load_config(overlay)), fraud)


def verdicts(tables, run, claims=catalogue.CLAIMS):
    return check.run(tables, run, claims).set_index("id")["verdict"].to_dict()


# --------------------------------------------------------------------------- what is registered

# By id, as the sources have them; the registry must not drift away from these.
READINGS = {
    "S-fig4-{}-balanced": {"auc-pr": 0.547, "auc-pr-gain": 0.103, "f1": 0.667},
    "S-fig4-{}-calibrated-is-flat": {"auc-pr": 0.547, "auc-pr-gain": 0.103, "f1": 0.667},
    "S-fig4-{}-rarest": {"auc-pr": 0.002, "auc-pr-gain": 0.4, "f1": 0.002},
    "S-fig5-{}-calibrated-farthest": {"auc-pr": 0.922, "auc-pr-gain": 0.866, "f1": 0.84},
    "S-fig5-{}-calibrated-nearest": {"auc-pr": 0.512, "auc-pr-gain": 0.025, "f1": 0.667},
    "S-fig6-formula-{}": {
        **{"0.00172": 0.765, "0.00232": 0.788, "0.00313": 0.807, "0.00421": 0.8225},
        **{"0.00568": 0.836, "0.00765": 0.848, "0.0103": 0.858, "0.0139": 0.868},
        **{"0.0187": 0.877, "0.0253": 0.886, "0.0341": 0.895, "0.0459": 0.9035},
        **{"0.0619": 0.912, "0.0834": 0.921, "0.112": 0.930, "0.151": 0.939},
        **{"0.204": 0.948, "0.275": 0.9575, "0.371": 0.967, "0.5": 0.977},
    },
    "S-appA-{}-0.00172": {
        **{"auc-pr": 0.765, "auc-pr-calibrated": 0.977, "auc-pr-gain": 1.000},
        **{"auc-pr-gain-calibrated": 0.965, "f1": 0.728, "f1-calibrated": 0.765},
    },
    "S-appA-{}-0.5": {"auc-pr": 0.978, "auc-pr-gain": 0.966, "f1": 0.765},
    "S-fraud-{}": {"rows": 284_807, "frauds": 492},
    "A-fraud-test-{}": {"rows": 85_443, "frauds": 147},
    "S-fig7-{}": {
        "least-correlated-pair-all": 0.81,
        "calibrated-area-and-auc-roc-imbalanced": 0.98,
        "calibrated-area-and-auc-pr-imbalanced": 0.57,
        "least-correlated-pair-all-afresh": 0.81,
        "calibrated-area-and-auc-roc-imbalanced-afresh": 0.98,
        "calibrated-area-and-auc-pr-imbalanced-afresh": 0.57,
        "datasets-with-large-prior": "> 0.9",
        "datasets-all": 614,
        "datasets-imbalanced": 4,
        "predictions": 18_420,
        "matrix-all": 0,
        "matrix-imbalanced": 0,
    },
    "A-{}": {
        **{"gain-above-1-all": 283, "tasks-with-gain-above-1-all": 57, "gain-largest": 35.97},
        **{"gain-above-1-imbalanced": 64, "tasks-with-gain-above-1-imbalanced": 5},
        **{"zeroed-runs": 1520, "zeroed-tasks": 93, "zeroed-tasks-wholly": 10},
        **{"zeroed-runs-move-cells": 0.022, "undefined-correlations": 1151},
        **{"undefined-correlations-move-cells": 0.004, "gain-smallest-example": 1.25},
        "gain-smallest-example-right": 1 / 3,
    },
    "DG-table1-{}": {"fp": 0, "recall": 0, "precision": 0},
    "DG-fig6-{}": {"straight-lines": 0.50, "exact": 0.031},
    "DG-fig7-{}": {"auc-roc-I": 0.813, "auc-pr-I": 0.514, "auc-roc-II": 0.875, "auc-pr-II": 0.038},
    "H-simulator-{}": {"transactions": 1_754_155, "frauds": 14_681},
}
FOUND_INSTEAD = {
    "DG-fig6-straight-lines": 0.514,
    "DG-fig6-exact": 0.0287,
    "DG-fig7-auc-pr-I": 0.520,
    "S-fig4-auc-pr-gain-rarest": 0.467,
    "S-fig5-axis": 2,
    "S-fig7-predictions": 18_060,
    "S-fig7-datasets-all": 602,
    "S-fig7-datasets-imbalanced": 5,
}
NUMBER_OF_CLAIMS = {"S": 102, "ours": 34, "DG": 16, "A": 19, "CC": 3, "H": 2}
# Every table that claims look at is one that the pipeline makes, or the data's description.
TABLES = {
    *("pi_sweep", "pi_sweep_agreement", "kl_sweep", "kl_sweep_agreement", "heuristic"),
    *("fraud_prior_sweep", "curves_at_priors", "monitoring", "monitoring_differences"),
    *("monitoring_trends", "monitoring_changes", "prior_illustration_numbers"),
    *("dg_table1", "dg_fig1", "dg_fig5"),
    *("dg_fig6_areas", "dg_fig7_areas", "label_free", "label_free_convergence"),
    *("label_free_rates", "ranking_scores", "ranking_tasks", "rank_correlation_corrections"),
    *("rank_correlation_corrections_summary", "minority_ratio", "fraud_data"),
}


def test_number_of_claims():
    counts = pd.Series([claim.source for claim in catalogue.CLAIMS]).value_counts()
    assert counts.to_dict() == NUMBER_OF_CLAIMS
    assert len(BY_ID) == len(catalogue.CLAIMS)
    assert set(counts.index) == set(registry.ORIGINS)


def test_a_dozen_claims_are_headlines():
    headlines = [claim for claim in catalogue.CLAIMS if claim.headline]
    assert 10 <= len(headlines) <= 16
    assert {claim.source for claim in headlines} >= {"S", "A", "DG", "ours"}


def test_claims_name_their_place_and_tolerance():
    for claim in catalogue.CLAIMS:
        assert claim.id.startswith(f"{claim.source}-")
        assert claim.place, claim.id
        assert claim.statement, claim.id
        assert not set("{}\n") & set(claim.statement), claim.id
        assert claim.tolerance.origin, claim.id
        is_bound = isinstance(claim.published, bool | Bound)
        assert is_bound or claim.tolerance.size > 0, claim.id
        assert claim.known_gap is None or claim.known_gap.reason, claim.id


def test_published_numbers():
    readings = {
        pattern.format(name): value
        for pattern, values in READINGS.items()
        for name, value in values.items()
    }
    table = check.run({}, context()).set_index("id")["paper_value"]
    assert table[list(readings)].to_dict() == readings


@pytest.mark.parametrize(("identifier", "ours"), FOUND_INSTEAD.items())
def test_a_known_gap_is_where_it_was_found(identifier, ours):
    gap = BY_ID[identifier].known_gap
    assert gap.ours == pytest.approx(ours, abs=5e-4)
    assert not BY_ID[identifier].agrees(gap.ours)


def test_tables_read_are_tables_of_the_pipeline():
    assert catalogue.tables_read() == TABLES


def test_metrics_looked_up_are_those_of_the_settings():
    config = Config()
    sweep = {metric.key for metric in read_metrics(config.metrics_of("pi_sweep"))}
    assert sweep == {key for metric in METRICS for key in (metric.key, metric.calibrated.key)}
    ranking = {metric.key for metric in read_metrics(config.metrics_of("ranking"))}
    assert {lookup.BEST_F1, lookup.AUC_ROC, lookup.calibrated(AREA, "1.01π")} <= ranking


def test_settings_survive_snakemake():
    settings = catalogue.settings_of(Config())
    assert json.loads(json.dumps(settings)) == settings
    for claim in catalogue.CLAIMS:
        assert {need.setting for need in claim.needs} <= set(settings)


def test_size_of_jobs_and_style_of_figures_are_no_concern_of_claims():
    assert not [
        name for name in catalogue.settings_of(Config()) if "per_job" in name or "dpi" in name
    ]


def test_the_catalogue_does_not_import_pandas():
    """Snakemake imports it whenever it parses the Snakefile."""
    code = "import sys, reproduction.claims.catalogue; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_hash_of_the_statements(monkeypatch):
    before = catalogue.statements_hash()
    claims = [dataclasses.replace(catalogue.CLAIMS[0], statement="reworded"), *catalogue.CLAIMS[1:]]
    monkeypatch.setattr(catalogue, "CLAIMS", claims)
    assert catalogue.statements_hash() != before


# ------------------------------------------------------------------------------ registration


@pytest.fixture
def registered(monkeypatch):
    """The claims that a test registers."""
    monkeypatch.setattr(registry, "_CLAIMS", {__name__: []})
    return registry._CLAIMS[__name__]


def test_a_function_becomes_a_claim(registered):
    @registry.claim("S", "Figure 0", 0.4, printed(1), data=Data.FRAUD)
    def fig0_area_minus_prior(sweep, other):
        """area minus prior, over all
        runs"""
        return sweep - other

    (one,) = registered
    assert (one.id, one.source, one.place) == ("S-fig0-area-minus-prior", "S", "Figure 0")
    assert one.statement == "area minus prior, over all runs"
    assert (one.published, one.tolerance, one.data) == (0.4, printed(1), Data.FRAUD)
    assert one.reads == ("sweep", "other")
    assert one.function(3, 2) == fig0_area_minus_prior(3, 2) == 1


def test_a_loop_registers_similar_claims(registered):
    for metric, value in {AUC_PR: 0.547, F1: 0.667}.items():

        @registry.claim("S", "Figure 0", value, name=f"fig0-{metric.name}")
        def fig0(sweep, metric=metric):
            """{metric.label}, or {metric.calibrated.label}"""
            return sweep[metric.key]

    assert [one.id for one in registered] == ["S-fig0-auc-pr", "S-fig0-f1"]
    assert [one.statement for one in registered] == ["AUC-PR, or AUC-P_cR", "F1, or F1_c"]
    assert [one.reads for one in registered] == [("sweep",), ("sweep",)]
    assert [one.function({AREA: 1, F1.key: 2}) for one in registered] == [1, 2]


@pytest.mark.parametrize(
    ("published", "tolerance"),
    [(0.4, EXACT), (18, EXACT), (True, QUALITATIVE), (Above(0), QUALITATIVE)],
)
def test_default_tolerance(registered, published, tolerance):
    @registry.claim("S", "Figure 0", published)
    def fig0(sweep):
        """a statement"""

    assert registered[0].tolerance == tolerance


# ------------------------------------------------------------------------------ verdicts

TABLE = pd.DataFrame({"metric": ["area", "area@pi0=0.5"], "prior": [0.1, 0.1], "value": [0.4, 0.7]})


def claim(published=0.4, tolerance=EXACT, **options):
    options = {
        "function": lambda table: lookup.number(table, "value", metric="area"),
        "reads": ("sweep",),
        **options,
    }
    return Claim("x", "S", "Figure 0", "a statement", published, tolerance, **options)


def judged(one, tables=None, run=None):
    tables = {"sweep": TABLE} if tables is None else tables
    (row,) = check.run(tables, run or context(), [one]).to_dict("records")
    return row


def ours_is(value):
    return {"function": lambda: value, "reads": ()}


@pytest.mark.parametrize(
    ("published", "tolerance", "ours", "holds"),
    [
        (0.4, printed(2), 0.405, True),
        (0.4, printed(2), 0.395, True),
        (0.4, printed(2), 0.4051, False),
        (0.813, printed(3), 0.8125, True),
        (18, EXACT, np.int64(18), True),
        (18, EXACT, 19, False),
        (True, QUALITATIVE, np.True_, True),
        (True, QUALITATIVE, False, False),
        (False, QUALITATIVE, False, True),
        (Above(0.9), QUALITATIVE, 0.91, True),
        (Above(0.9), QUALITATIVE, 0.9, False),
        (AtMost(1.0), QUALITATIVE, 1.0, True),
        (AtMost(1.0), QUALITATIVE, 1.01, False),
        (AtMost(1.0), Tolerance(0.1, "a reason"), 1.05, True),
        (0.4, Tolerance(10.0, "anything"), math.inf, False),
        (Above(0.0), QUALITATIVE, math.inf, False),
        (AtMost(0.0), QUALITATIVE, -math.inf, False),
        (1, EXACT, True, False),
    ],
)
def test_verdict_on_a_value(published, tolerance, ours, holds):
    row = judged(claim(published, tolerance, **ours_is(ours)))
    assert row["verdict"] == ("holds" if holds else "differs")
    assert row["expected"] == holds
    assert bool(row["reason"]) != holds


def test_a_row_holds_both_values_and_the_tolerance():
    row = judged(claim(0.5, printed(1), known_gap=KnownGap(0.4, 1e-9, "because")))
    assert row["paper_value"] == 0.5
    assert row["ours"] == 0.4
    assert row["tolerance"] == pytest.approx(0.05)
    assert row["tolerance_from"] == "printed to 0.1"
    assert (row["verdict"], row["reason"], row["expected"]) == ("differs", "because", True)
    assert (row["tables"], row["headline"]) == ("sweep", False)


def test_another_gap_than_the_known_one_is_broken():
    one = claim(0.5, known_gap=KnownGap(0.4, 0.001, "because"), **ours_is(0.41))
    row = judged(one)
    assert (row["verdict"], row["expected"]) == ("differs", False)
    assert "0.4" in row["reason"]


def test_a_known_gap_that_closed_holds():
    one = claim(0.4, known_gap=KnownGap(0.5, 0.001, "because"))
    assert judged(one)["verdict"] == "holds"


def test_a_metric_of_a_user_does_not_matter():
    own = pd.DataFrame({"metric": ["own"], "prior": [0.1], "value": [99.0]})
    assert judged(claim(), {"sweep": pd.concat([own, TABLE, own])})["verdict"] == "holds"


@pytest.mark.parametrize(
    ("tables", "lack"),
    [
        ({}, "no table sweep"),
        ({"sweep": TABLE[TABLE["metric"] != "area"]}, "metric area"),
        ({"sweep": TABLE.iloc[:0]}, "the table sweep is empty"),
    ],
)
def test_without_table_or_metric_nothing_can_be_checked(tables, lack):
    row = judged(claim(), tables)
    assert row["verdict"] == "cannot be checked with this data"
    assert lack in row["reason"]
    assert row["ours"] is None
    assert row["expected"]


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        (TABLE.assign(value=math.nan), "value is NaN in 1 of 1 rows"),
        (pd.concat([TABLE, TABLE]), "2 rows with metric area"),
    ],
)
def test_a_claim_on_a_damaged_table_is_broken(table, damage):
    row = judged(claim(), {"sweep": table})
    assert row["verdict"] == "cannot be checked with this data"
    assert damage in row["reason"]
    assert not row["expected"]


def test_a_claim_with_an_undefined_value_is_broken():
    for published in (0.4, Above(0.0), AtMost(1.0)):
        row = judged(claim(published, Tolerance(10.0, "anything"), **ours_is(math.nan)))
        assert row["verdict"] == "cannot be checked with this data"
        assert "NaN" in row["reason"]
        assert not row["expected"]


@pytest.mark.parametrize(
    ("lacking", "lack"),
    [
        (lambda sweep: sweep.iloc[1:], "no value of run 0 where prior is 0.1"),
        (lambda sweep: sweep.assign(value=[math.nan, 1.0, 2.0, 3.0]), "value is NaN in 1 of 4"),
        (lambda sweep: pd.concat([sweep, sweep.head(1)]), "duplicate"),
    ],
)
def test_a_sweep_with_a_missing_value_is_damaged(lacking, lack):
    runs = {"prior": [0.1, 0.1, 0.5, 0.5], "run": [0, 1, 0, 1], "value": [0.0, 1.0, 2.0, 3.0]}
    sweep = pd.DataFrame(runs).assign(metric=AREA)
    assert lookup.mean_at(sweep, "prior", 0.5, AUC_PR) == 2.5
    with pytest.raises(lookup.DamagedError, match=lack):
        lookup.mean_at(lacking(sweep), "prior", 0.5, AUC_PR)
    with pytest.raises(lookup.UnavailableError, match="no row with prior"):
        lookup.mean_at(sweep, "prior", 0.4, AUC_PR)


def test_an_error_in_a_claim_names_it():
    with pytest.raises(KeyError) as caught:
        judged(claim(function=lambda table: table["no such column"].mean()))
    assert "claim x" in caught.value.__notes__


def test_a_claim_gets_only_the_tables_that_it_reads():
    with pytest.raises(TypeError):
        judged(claim(function=lambda one, two: 0.4))


@pytest.mark.parametrize(
    ("need", "overlay", "lack"),
    [
        (at_least("pi_sweep.n_samples", 100_000), {"pi_sweep": {"n_samples": 1000}}, "100,000"),
        (equal("pi_sweep.mu1", 2.0), {"pi_sweep": {"mu1": 3.0}}, "this run has 3.0"),
        (
            *as_by_default("kl_sweep", "mu0"),
            {"kl_sweep": {"mu0": [1.0]}},
            "mu0 to have its default",
        ),
    ],
)
def test_smaller_or_other_experiments_cannot_check(need, overlay, lack):
    one = claim(0.9, needs=(need,))
    row = judged(one, run=context(**overlay))
    assert row["verdict"] == "cannot be checked with this data"
    assert lack in row["reason"]
    assert judged(one)["verdict"] == "differs"


OPENML = {"ranking": {"source": "openml"}}
ELSEWHERE = {"ranking": {"source": "openml", "openml": {"server": "http://localhost:1/api"}}}
STORED = {"ranking": {"source": "published"}}


@pytest.mark.parametrize(
    ("data", "fraud", "overlay", "is_there"),
    [
        (Data.NONE, SIMULATED, {}, True),
        (Data.FRAUD, SIMULATED, {}, False),
        (Data.FRAUD, SAMPLE, {}, False),
        (Data.FRAUD, KAGGLE, {}, True),
        (Data.FRAUD, dataclasses.replace(KAGGLE, n_rows=284_806), {}, True),
        (Data.FRAUD, dataclasses.replace(KAGGLE, source="openml", n_frauds=491), {}, True),
        (Data.FRAUD, dataclasses.replace(KAGGLE, source="file", n_rows=284_806), {}, True),
        (Data.OPENML, KAGGLE, {}, False),
        (Data.OPENML, KAGGLE, STORED, False),
        (Data.OPENML, KAGGLE, ELSEWHERE, False),
        (Data.OPENML, SIMULATED, OPENML, True),
        (Data.STORED_SCORES, KAGGLE, {}, False),
        (Data.STORED_SCORES, KAGGLE, OPENML, False),
        (Data.STORED_SCORES, SIMULATED, STORED, True),
    ],
)
def test_data_of_others(data, fraud, overlay, is_there):
    """A stand-in gives a value to look at, never a verdict."""
    right = judged(claim(data=data), run=context(fraud, **overlay))
    wrong = judged(claim(0.9, data=data), run=context(fraud, **overlay))
    assert (right["ours"], wrong["ours"]) == (0.4, 0.4)
    if is_there:
        assert (right["verdict"], wrong["verdict"]) == ("holds", "differs")
    else:
        assert (right["verdict"], wrong["verdict"]) == ("needs network data",) * 2
        assert wrong["expected"]
        assert data.value in wrong["reason"]


def test_a_wrong_file_of_the_fraud_data_is_a_broken_claim():
    run = context(dataclasses.replace(KAGGLE, source="file", n_rows=284_806))
    table = check.run({}, run, [BY_ID["S-fraud-rows"], BY_ID["S-fraud-frauds"]])
    assert check.broken(table) == ["S-fraud-rows"]


# --------------------------------------------------------------- tables on which all is true


@pytest.fixture(scope="module")
def ideal():
    return ideal_tables()


@pytest.fixture(scope="module")
def published_run():
    return context(KAGGLE, fraud={"source": "kaggle"}, ranking={"source": "published"})


def test_every_claim_is_met_where_it_is_true(ideal, published_run):
    table = check.run(ideal, published_run)
    assert check.broken(table) == []
    by_verdict = table.groupby("verdict")["id"].apply(set)
    known = {claim.id for claim in catalogue.CLAIMS if claim.known_gap is not None}
    assert by_verdict[Verdict.DIFFERS] == known
    needs_openml = {claim.id for claim in catalogue.CLAIMS if claim.data is Data.OPENML}
    assert by_verdict[Verdict.NEEDS_NETWORK] == needs_openml
    # What is about simulated frauds and models fitted here.
    sources = {name.partition("-")[0] for name in by_verdict[Verdict.CANNOT_BE_CHECKED]}
    assert sources == {"ours", "H"}


def test_order_of_rows_and_further_metrics_do_not_matter(ideal, published_run):
    changed = {
        name: ideal[name].sample(frac=1, random_state=0)
        for name in ("pi_sweep", "kl_sweep", "fraud_prior_sweep", "rank_correlation_corrections")
    }
    for name in ("pi_sweep", "kl_sweep", "fraud_prior_sweep", "monitoring"):
        own = ideal[name].head(3).assign(metric="prg_auc_of_my_own", value=7.0)
        changed[name] = pd.concat([own, changed.get(name, ideal[name])])
    agreement = ideal["pi_sweep_agreement"]
    own = agreement[agreement["metric"] == AREA].assign(metric="own", z=99.0, verdict="differs")
    changed["pi_sweep_agreement"] = pd.concat([own, agreement])
    claims = [claim for claim in catalogue.CLAIMS if set(claim.reads) & set(changed)]
    before = verdicts(ideal, published_run, claims)
    assert verdicts({**ideal, **changed}, published_run, claims) == before


def without_metric(metric):
    return lambda table: table[table["metric"] != metric]


def test_without_a_metric_its_claims_cannot_be_checked(ideal, published_run):
    claims = [claim for claim in catalogue.CLAIMS if claim.reads == ("pi_sweep",)]
    tables = {**ideal, "pi_sweep": without_metric(GAIN)(ideal["pi_sweep"])}
    found = verdicts(tables, published_run, claims)
    assert found["S-fig4-auc-pr-balanced"] == "holds"
    assert found["S-fig4-auc-pr-gain-balanced"] == "cannot be checked with this data"
    assert "differs" not in found.values()


def test_without_tables_nothing_is_broken(published_run):
    table = check.run({}, published_run)
    assert check.broken(table) == []
    assert (table["verdict"] != "differs").all()


def test_a_smoke_run_breaks_nothing(ideal):
    """Its sweeps are too small to say anything of the figures, whatever they hold."""
    small = {"n_samples": 20_000, "n_runs": 4}
    run = context(pi_sweep=small | {"priors": [0.01, 0.5]}, kl_sweep=small | {"mu0": [0.0, 2.0]})
    spoilt = {
        name: ideal[name].assign(value=ideal[name]["value"] * 0.5)
        for name in ("pi_sweep", "kl_sweep")
    }
    claims = [claim for claim in catalogue.CLAIMS if claim.reads in (("pi_sweep",), ("kl_sweep",))]
    found = verdicts(spoilt, run, claims)
    assert "differs" not in found.values()
    assert found["S-fig4-auc-pr-balanced"] == "cannot be checked with this data"


@pytest.mark.parametrize("n_datasets", [99, 100])
def test_few_datasets_say_nothing_of_openml(n_datasets):
    table = pd.DataFrame({"minority_ratio": np.full(n_datasets, 0.5)})
    claim = BY_ID["S-fig7-datasets-with-large-prior"]
    found = verdicts({"minority_ratio": table}, context(**OPENML), [claim])
    few = n_datasets < 100
    assert found[claim.id] == ("cannot be checked with this data" if few else "holds")


# ----------------------------------------------------------------------- reading and writing


def test_tables_are_read_by_name(tmp_path):
    write_csv(TABLE, tmp_path / "pi_sweep.csv")
    write_csv(TABLE, tmp_path / "of_someone_else.csv")
    tables = check.read_tables(sorted(tmp_path.iterdir()))
    assert list(tables) == ["pi_sweep"]
    pd.testing.assert_frame_equal(tables["pi_sweep"], TABLE)


def table_of(*claims):
    return check.run({"sweep": TABLE}, context(), claims)


def test_columns_of_the_table():
    table = table_of(claim(), claim(0.9, data=Data.OPENML))
    assert list(table["verdict"]) == ["holds", "needs network data"]
    assert list(table.columns) == [
        *("id", "source", "origin", "place", "statement", "paper_value", "ours", "tolerance"),
        *("tolerance_from", "verdict", "reason", "expected", "tables", "headline"),
    ]


def test_nothing_is_raised_without_a_broken_claim():
    check.raise_if_broken(table_of(claim(), claim(0.9, data=Data.OPENML)), "report.html")


def test_claims_are_counted_by_whose_they_are():
    table = table_of(
        claim(),
        dataclasses.replace(claim(), source="DG"),
        claim(0.5, known_gap=KnownGap(0.4, 1e-9, "because")),
        claim(data=Data.OPENML),
        dataclasses.replace(claim(), source="ours"),
    )
    counts = check.counts(table)
    assert counts.loc["papers"].to_dict() == {"claims": 4, "holds": 2, "differs": 1, "checked": 3}
    assert counts.loc["ours"].to_dict() == {"claims": 1, "holds": 1, "differs": 0, "checked": 1}


def test_the_error_names_all_broken_claims_and_the_report(tmp_path):
    table = table_of(
        dataclasses.replace(claim(0.9), id="first-broken"),
        claim(),
        dataclasses.replace(claim(0.8), id="second-broken"),
    )
    write_csv(table, tmp_path / "table.csv")  # the job reads the file
    read = pd.read_csv(tmp_path / "table.csv")
    assert check.broken(table) == check.broken(read) == ["first-broken", "second-broken"]
    with pytest.raises(check.ClaimsError, match="2 of 3 claims are broken") as caught:
        check.raise_if_broken(read, "report.html")
    for words in ("first-broken", "second-broken", "0.9", "0.4", "report.html"):
        assert words in str(caught.value)
