"""After a change, Snakemake reruns everything that depends on it, and nothing else."""

import pandas as pd
import pytest
from project import SMOKE

CODE = "\n\nadded_by_a_test = 1\n"
LAST = {"provenance": 1, "report": 1, "claims_hold": 1}
JUDGED = {"paper_vs_ours": 1, "sentences": 1}
PI_SWEEP = {"pi_sweep_block": 2, "pi_sweep": 1, "pi_sweep_figures": 1}
FRAUD = {"fraud": 1, "fraud_figures": 1}
KL_SWEEP = {"kl_sweep_block": 2, "kl_sweep": 1, "kl_sweep_figures": 1}


@pytest.fixture(scope="module")
def edited(smoke, tmp_path_factory):
    """A copy of the finished run for dry runs, in which each test restores what it edits."""
    return smoke.copy(tmp_path_factory.mktemp("edited") / "project")


def jobs_after(project, path, text):
    file = project.folder / path
    before = file.read_bytes()
    file.write_bytes(before + text.encode())
    try:
        return project.would_run()
    finally:
        file.write_bytes(before)


@pytest.mark.parametrize(
    ("module", "jobs"),
    [
        ("pi_sweep/experiment.py", {**PI_SWEEP, **JUDGED}),
        ("pi_sweep/figure.py", {"pi_sweep_figures": 1}),
        ("kl_sweep/claims.py", JUDGED),
        ("kl_sweep/experiment.py", {**KL_SWEEP, **JUDGED}),
        ("core/sweeps.py", {**PI_SWEEP, **KL_SWEEP, **FRAUD, **JUDGED}),
        ("pi_sweep/settings.py", {}),
        ("core/lock.py", {}),
    ],
)
def test_edited_module(edited, module, jobs):
    found = jobs_after(edited, f"src/reproduction/{module}", CODE)
    assert found == ({**jobs, **LAST} if jobs else {})


def test_edited_core(edited):
    """All jobs depend on how a job is run."""
    found = jobs_after(edited, "src/reproduction/core/job.py", CODE)
    assert {"pi_sweep_block", "pi_sweep_figures", "davis_goadrich", "ranking_scores"} <= set(found)


def test_edited_look(edited):
    """Only figures depend on how figures look, and what reads them."""
    found = jobs_after(edited, "src/reproduction/core/look.py", CODE)
    assert {"pi_sweep_figures", "davis_goadrich_figures", "label_free_figures"} <= set(found)
    assert not {"pi_sweep_block", "davis_goadrich", "ranking_scores", "paper_vs_ours"} & set(found)


def test_edited_claims(edited):
    entry = (
        "\n- claims: [{id: new, says: s, figure: fig4_pi_sweep, table: pi_sweep, take: max,"
        ' bound: "< 2", read_from: here}]\n'
    )
    found = jobs_after(edited, "src/reproduction/pi_sweep/claims.yaml", entry)
    assert found == {**JUDGED, **LAST}


def test_a_forced_figure_leaves_the_sums_whole(finished):
    sums = finished.folder / "results/smoke/SHA256SUMS"
    before = sums.read_text()
    finished.run("--force", "pi_sweep_figures").succeeded()
    assert sums.read_text() == before
    assert not finished.would_run()


def test_comments_and_docstrings_do_not_count(finished):
    for path in (finished.folder / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        reworded = text.replace('"""', '"""Reworded. ', 1) if text.startswith('"""') else text
        path.write_text(reworded + "\n# A remark.\n", encoding="utf-8")
    (finished.folder / SMOKE).write_bytes((finished.folder / SMOKE).read_bytes() + b"# A remark.\n")
    assert not finished.would_run()


@pytest.mark.parametrize(
    ("settings", "jobs"),
    [
        ({"kl_sweep": {"n_samples": 30_000}}, {**KL_SWEEP, **JUDGED}),
        ({"results_dir": "results/smoke/"}, {}),
    ],
    ids=str,
)
def test_changed_setting(edited, settings, jobs):
    assert edited.would_run(settings=settings) == ({**jobs, **LAST} if jobs else {})


def test_changed_width(edited):
    """All figures are drawn again, and nothing is computed again."""
    rooms = [path.stem for path in (edited.folder / "results/smoke/logs/figures").glob("*.log")]
    found = edited.would_run(settings={"figures": {"width": 5.0}})
    assert found == {**{f"{room}_figures": 1 for room in rooms}, **LAST}


def test_more_runs_keep_the_blocks_there_are(finished):
    table, blocks = "results/smoke/tables/pi_sweep.csv", "results/smoke/intermediate/pi_sweep/*"
    before, rows = finished.contents(blocks), pd.read_csv(finished.folder / table)

    outcome = finished.run(table, settings={"pi_sweep": {"n_runs": 5}}).succeeded()

    assert outcome.jobs == {"pi_sweep_block": 1, "pi_sweep": 1}
    after = finished.contents(blocks)
    assert after.keys() - before.keys() == {blocks.replace("*", "4-5.parquet")}
    assert after.items() >= before.items()
    pd.testing.assert_frame_equal(pd.read_csv(finished.folder / table)[: len(rows)], rows)


def test_blocks_do_not_change_the_tables(finished, smoke):
    sweeps = {"pi_sweep": 4, "kl_sweep": 1}
    tables = [f"results/smoke/tables/{sweep}.csv" for sweep in sweeps]
    settings = {sweep: {"runs_per_job": runs} for sweep, runs in sweeps.items()}

    outcome = finished.run(*tables, settings=settings, cores=1).succeeded()

    assert {rule: outcome.jobs[rule] for rule in ("pi_sweep_block", "kl_sweep_block")} == {
        "pi_sweep_block": 1,
        "kl_sweep_block": 4,
    }
    found, expected = finished.contents(), smoke.contents()
    assert all(found[table] == expected[table] for table in tables)
