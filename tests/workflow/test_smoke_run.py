"""The smoke configuration, end to end: every table, figure and log, and the report on them."""

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from inventory import FIGURES, LAST, TABLES
from matplotlib.image import imread

from reproduction.data.fraud_data import FraudData

# The ordinary metric has no reference prior, a mark no area, a number of our own no counterpart,
# a claim on code no tables; an estimator without intervals has no coverage, one sample no other
# one, and a plateau no best threshold.
EMPTY_WHERE_NOT_APPLICABLE = [
    *("pi0", "row_pi0", "column_pi0", "chosen_by_pi0", "judged_by_pi0"),
    "area",
    "published",
    *("ours", "paper_value", "tolerance", "tolerance_from", "reason", "tables"),
    *("coverage", "coverage_error", "width", "coverage_unwarned", "mean_width"),
    *("other", "relative"),
]


@pytest.fixture
def results(smoke_run):
    project, _ = smoke_run
    return project.folder / "results" / "smoke"


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


METRIC_COLUMNS = {
    "metric": "pi0",
    **{name: f"{name}_pi0" for name in ("row", "column", "chosen_by", "judged_by")},
}


@pytest.mark.parametrize("name", TABLES)
def test_metrics_have_their_reference_prior(results, name):
    """What the name of a metric says of its reference prior is in the column `pi0`."""
    table = pd.read_csv(results / "tables" / f"{name}.csv")
    for metric, pi0 in METRIC_COLUMNS.items():
        # Monitoring has a reference prior of its own, and names the ordinary metric.
        if metric not in table or name.startswith("monitoring") or name == "label_free":
            continue
        named = table[metric].str.extract("@pi0=(.*)$")[0]
        multiple = named.str.endswith("π", na=False)
        fixed = named.where(~multiple).astype(float)
        assert table[pi0][~multiple].equals(fixed[~multiple])
        # Only a table of single tasks knows the prior that is multiplied.
        known = table[pi0][multiple].notna()
        assert known.all() if name == "ranking_scores" else not known.any()


def test_multiples_of_the_prior_are_those_of_the_task(results):
    scores, tasks = (
        pd.read_csv(results / "tables" / f"ranking_{name}.csv") for name in ("scores", "tasks")
    )
    near = scores[scores["metric"] == "average_precision@pi0=1.01π"].merge(tasks, on="task")

    assert near["task"].nunique() == 6
    # The folds of a task have nearly its prior.
    np.testing.assert_allclose(near["pi0"], 1.01 * near["prior"], rtol=0.05)


def test_titles_of_matrices_say_which_tasks(results):
    for panel, words in {"all": "All tasks: ", "imbalanced": "Imbalanced tasks: "}.items():
        for figure in ("fig7_rank_correlation", "selection_regret"):
            text = (results / "figures" / f"{figure}_{panel}.svg").read_text(encoding="utf-8")
            assert words in text
    text = (results / "figures" / "figC10_rank_correlation_small_prior.svg").read_text("utf-8")
    assert "Tasks with a small prior: " in text


def test_matrices_of_local_models_are_not_called_published(results):
    drawing = results / "figures" / "rank_correlation_corrections.svg"
    text = drawing.read_text(encoding="utf-8")

    assert "Authors' conventions" in text
    assert "Corrected conventions" in text
    assert "ublished" not in text


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
        assert text.rstrip().endswith("INFO done")
        assert "WARNING" not in text


def test_every_job_of_tables_and_figures_leaves_a_benchmark(smoke_run, results):
    _, outcome = smoke_run
    found = Counter(
        path.relative_to(results / "benchmarks").with_suffix("").parts[0]
        for path in (results / "benchmarks").rglob("*.tsv")
    )

    jobs = outcome.jobs - Counter(LAST)
    drawn = sum(jobs.pop(rule) for rule in FIGURES.values())
    assert found == {**jobs, "figures": drawn}


def test_the_report_shows_run_time_and_memory_of_every_rule(results):
    page = (results / "report.html").read_text(encoding="utf-8")
    table = page.partition('<article id="run-times">')[2].partition("</article>")[0]

    rules = set(re.findall(r'<th scope="row">(\w+)</th>', table))
    assert rules == {path.name.removesuffix(".tsv") for path in (results / "benchmarks").iterdir()}
    assert "not measured" not in table


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


def test_second_run_does_nothing(finished):
    before = finished.times()

    assert finished.run().nothing_to_do
    assert finished.times() == before


def test_report_shows_the_figures_and_their_captions(finished, no_network):
    finished.run_within(no_network, "--report", "report.html").succeeded()

    report = (finished.folder / "report.html").read_text(encoding="utf-8")
    words = " ".join(report.replace("\\n", " ").split())
    for name in FIGURES:
        caption = (finished.folder / "workflow" / "report" / f"{name}.rst").read_text("utf-8")
        pieces = [piece for line in caption.splitlines() for piece in re.split(r"[{`].*[}`]", line)]
        plain = [
            piece.strip() for piece in pieces if piece.isascii() and not set("{}`") & set(piece)
        ]
        assert max(plain, key=len) in words
        assert f"{name}.png" in report
    assert "4 runs with its 95 % bootstrap band" in words  # a number from the configuration
