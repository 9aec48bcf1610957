"""The smoke configuration, end to end: every table, figure and log, and the report on them."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from reproduction.data.fraud import FraudData

SMOKE = "config/smoke.yaml"

SWEEP_COLUMNS = ["run", "n_pos", "n_neg", "metric", "value"]
AGREEMENT_COLUMNS = ["metric", "n_runs", "n_pos", "gap", "standard_error", "z", "verdict"]
TABLES = {
    "pi_sweep": ["prior", *SWEEP_COLUMNS, "population"],
    "pi_sweep_agreement": ["prior", *AGREEMENT_COLUMNS],
    "kl_sweep": ["mu0", "kl", "squared_distance", "prior", *SWEEP_COLUMNS, "population"],
    "kl_sweep_agreement": ["kl", *AGREEMENT_COLUMNS],
    "heuristic": ["pi0", "n_pos", "n_neg_kept", "mean", "sd", "expected", "closed_form"],
    "fraud_prior_sweep": ["prior", *SWEEP_COLUMNS],
    "curves_at_priors": ["space", "sample", "prior", "x", "y", "area"],
    "monitoring": ["scenario", "period", "metric", "prior", "value", "low", "high"],
    "monitoring_differences": ["scenario", "period", "metric", "prior", "value", "scale"],
    "monitoring_trends": ["scenario", "metric", "slope", "low", "high", "p_value", "verdict"],
    "prior_illustration": ["population"],
    "prior_illustration_numbers": ["population", "recall", "precision"],
    "dg_table1": ["tp", "fp", "recall", "precision"],
    **{f"dg_{name}": ["prior"] for name in ("fig1", "fig5", "fig6", "fig6_areas", "fig7")},
    "dg_fig7_areas": ["prior"],
    "label_free": ["distribution", "computation", "metric", "threshold", "value"],
    "label_free_convergence": ["distribution", "computation", "metric", "n_samples", "rmse"],
    "label_free_rates": ["distribution", "computation", "metric", "slope"],
    "ranking_scores": ["task", "run", "metric", "value", "value_as_published"],
    "ranking_tasks": ["task", "name", "n_pos", "n_neg", "prior", "n_models", "outcome", "all"],
    **{
        f"{name}_{panel}": columns
        for panel in ("all", "imbalanced", "small_prior")
        for name, columns in {
            "rank_correlation": ["row", "column", "spearman", "low", "high", "n_tasks"],
            "selection_regret": ["chosen_by", "judged_by", "mean", "p90", "n_tasks"],
        }.items()
    },
    "rank_correlation_corrections": ["panel", "correction", "row", "column", "change"],
    "rank_correlation_corrections_summary": ["panel", "correction", "largest", "mean"],
    "paper_vs_ours": ["id", "source", "place", "statement", "paper_value", "ours", "verdict"],
    "minority_ratio": ["name", "minority_ratio", "cumulative_share"],
}
# The ordinary metric has no reference prior, a mark no area, a number of our own no counterpart.
EMPTY_WHERE_NOT_APPLICABLE = [
    "pi0",
    "area",
    "published",
    *("ours", "paper_value", "tolerance", "tolerance_from", "reason"),
]
FIGURES = [
    "cc_convergence",
    "cc_table1",
    "cc_table2",
    "dg_fig1",
    "dg_fig5",
    "dg_fig6",
    "dg_fig7",
    "fig1_monitoring",
    "fig2_curves",
    "fig3_prior_illustration",
    "figD11_monitoring_calibrated",
    "fig4_pi_sweep",
    "fig5_kl_sweep",
    "fig6_heuristic_vs_formula",
    "fig7_rank_correlation_all",
    "fig7_rank_correlation_imbalanced",
    "figA7_fraud_prior_sweep",
    "figC9_prior_cdf",
    "figC10_rank_correlation_small_prior",
    "rank_correlation_corrections",
    "selection_regret_all",
    "selection_regret_imbalanced",
]


@pytest.fixture
def results(smoke_run):
    project, _ = smoke_run
    return project.folder / "results" / "smoke"


@pytest.fixture
def smoke_copy(smoke_run, tmp_path):
    project, _ = smoke_run
    return project.copy(tmp_path / "smoke")


@pytest.mark.parametrize("name", TABLES)
def test_table(results, name):
    table = pd.read_csv(results / "tables" / f"{name}.csv")

    assert set(TABLES[name]) <= set(table.columns)
    assert len(table) > 0
    numbers = table.drop(columns=EMPTY_WHERE_NOT_APPLICABLE, errors="ignore")
    assert not numbers.isna().any(axis=None)
    assert np.isfinite(numbers.select_dtypes("number")).all(axis=None)


def test_every_table_is_known(results):
    assert {path.name for path in (results / "tables").iterdir()} == {f"{t}.csv" for t in TABLES}


def test_sweeps_hold_every_run_of_every_metric(results):
    table = pd.read_csv(results / "tables" / "pi_sweep.csv")

    runs = table.groupby(["prior", "metric"])["run"].apply(list)

    assert runs.map(lambda each: each == [0, 1, 2, 3]).all()
    assert len(runs) == 4 * 6
    assert set(table["prior"]) == {0.01, 0.05, 0.2, 0.5}  # the overlay's list, not both lists


@pytest.mark.parametrize("name", FIGURES)
def test_png(results, name):
    height, width = imread(results / "figures" / f"{name}.png").shape[:2]

    assert 600 < width < 3000
    assert 400 < height < 3000


@pytest.mark.parametrize("name", FIGURES)
def test_pdf(results, name):
    content = (results / "figures" / f"{name}.pdf").read_bytes()

    assert content.startswith(b"%PDF-")
    assert content.endswith(b"%%EOF\n")


@pytest.mark.parametrize("name", FIGURES)
def test_svg(results, name):
    root = ElementTree.parse(results / "figures" / f"{name}.svg").getroot()

    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 20


@pytest.mark.parametrize("name", ["fig6_heuristic_vs_formula", "figA7_fraud_prior_sweep"])
def test_figures_of_simulated_data_say_so(results, name):
    data = FraudData.read(results / "intermediate" / "fraud" / "data.json")

    assert data.simulated
    assert "simulated" in data.title
    assert data.title in (results / "figures" / f"{name}.svg").read_text(encoding="utf-8")


def test_every_job_leaves_a_log(smoke_run):
    project, outcome = smoke_run
    written = {str(path.relative_to(project.folder)) for path in project.folder.rglob("*.log")}
    written = {name for name in written if name.startswith("results")}

    assert len(outcome.logs) == sum(outcome.jobs.values()) > 0
    assert set(outcome.logs) == written
    for log in outcome.logs:
        text = (project.folder / log).read_text(encoding="utf-8")
        assert "numpy" in text
        assert re.search(r"done in \d+\.\d s$", text.rstrip())
        assert "WARNING" not in text


def test_outputs_lie_in_the_configured_folder_alone(smoke_run):
    project, _ = smoke_run

    assert [path.name for path in (project.folder / "results").iterdir()] == ["smoke"]
    assert not (project.folder / "resources").exists()
    hidden = project.folder.joinpath("results").rglob(".*")
    assert [path.name for path in hidden] == [".lock"]  # no temporary file is left


def test_smoke_run_needs_no_network(smoke_run, no_network):
    if not no_network:
        pytest.skip("this system lets no process run without network (unshare --net)")

    _, outcome = smoke_run

    assert outcome.code == 0


def test_second_run_does_nothing(smoke_copy):
    before = smoke_copy.times()

    assert smoke_copy.run(overlays=[SMOKE]).nothing_to_do
    assert smoke_copy.times() == before


def test_report_shows_the_figures_and_their_captions(smoke_copy, no_network):
    smoke_copy.run("--report", "report.html", overlays=[SMOKE], prefix=no_network).succeeded()

    report = (smoke_copy.folder / "report.html").read_text(encoding="utf-8")
    words = " ".join(report.replace("\\n", " ").split())
    for name in FIGURES:
        caption = (smoke_copy.folder / "workflow" / "report" / f"{name}.rst").read_text("utf-8")
        pieces = [piece for line in caption.splitlines() for piece in re.split(r"[{`].*[}`]", line)]
        plain = [
            piece.strip() for piece in pieces if piece.isascii() and not set("{}`") & set(piece)
        ]
        assert max(plain, key=len) in words
        assert f"{name}.png" in report
    assert "4 runs with its 95 % bootstrap band" in words  # a number from the configuration
