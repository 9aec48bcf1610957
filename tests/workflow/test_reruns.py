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


def jobs_after(project, edits, settings=None):
    """Jobs of a dry run after texts were added to files."""
    files = {project.folder / path: text for path, text in edits.items()}
    before = {file: file.read_bytes() for file in files}
    for file, text in files.items():
        file.write_bytes(before[file] + text.encode())
    try:
        return project.would_run(settings=settings)
    finally:
        for file, content in before.items():
            file.write_bytes(content)


def test_an_experiment_reruns_what_is_made_of_its_tables(edited):
    """`tests/reproduction/core/test_code_hash.py` says which modules are code of a job."""
    found = jobs_after(edited, {"src/reproduction/core/sweeps.py": CODE})
    assert found == {**PI_SWEEP, **KL_SWEEP, **FRAUD, **JUDGED, **LAST}


def test_a_figure_and_a_setting_rerun_their_rooms(edited):
    settings = {"kl_sweep": {"n_samples": 30_000}}
    found = jobs_after(edited, {"src/reproduction/pi_sweep/figure.py": CODE}, settings)
    assert found == {"pi_sweep_figures": 1, **KL_SWEEP, **JUDGED, **LAST}


def test_nothing_reruns_without_need(edited):
    """Of code that no job calls, of remarks, and of another way to write a setting."""
    edits = {f"src/reproduction/{module}.py": CODE for module in ("core/lock", "pi_sweep/settings")}
    edits |= {"src/reproduction/core/sweeps.py": "# A remark.\n", SMOKE: "# A remark.\n"}
    assert jobs_after(edited, edits, {"results_dir": "results/smoke/"}) == {}


def test_how_figures_look_affects_figures_only(edited):
    rooms = [path.stem for path in (edited.folder / "results/smoke/logs/figures").glob("*.log")]
    found = jobs_after(edited, {"src/reproduction/core/look.py": CODE})
    assert found == {**{f"{room}_figures": 1 for room in rooms}, **LAST}
    assert edited.would_run(settings={"figures": {"width": 6.3}}) == found


def test_edited_claims(edited):
    entry = (
        "\n- claims: [{id: new, says: s, figure: fig4_pi_sweep, table: pi_sweep, take: max,"
        ' bound: "< 2", read_from: here}]\n'
    )
    found = jobs_after(edited, {"src/reproduction/pi_sweep/claims.yaml": entry})
    assert found == {**JUDGED, **LAST}


def test_a_forced_figure_leaves_the_sums_whole(finished):
    sums = finished.folder / "results/smoke/SHA256SUMS"
    before = sums.read_text()
    finished.run("--force", "pi_sweep_figures").succeeded()
    assert sums.read_text() == before
    assert not finished.would_run()


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
