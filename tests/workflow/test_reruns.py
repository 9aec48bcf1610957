"""A change makes Snakemake rerun everything that depends on it, and nothing else."""

import pytest
from inventory import (
    CLAIMS,
    CORRECTIONS,
    CORRELATIONS,
    DAVIS_GOADRICH,
    EVERYTHING,
    FIGURE_RULES,
    FRAUD,
    FRAUD_PRIOR_SWEEP,
    HEURISTIC,
    KL_SWEEP,
    LAST,
    MINORITY_RATIO,
    MONITORING,
    PAGE,
    PI_SWEEP,
    RANKING,
    RANKING_SCORES,
    REGRETS,
    SEEDED,
    STREAM,
)

_FIGURES_OF_REGRETS = {rule: 1 for rule in REGRETS if rule.startswith("fig_")}

CODE = "\n\nadded_by_a_test = 1\n"


@pytest.fixture(scope="module")
def untouched(reference, tmp_path_factory):
    """A copy of the finished run for dry runs. A test that edits a module restores it."""
    return reference.copy(tmp_path_factory.mktemp("untouched") / "project")


def add_to_module(project, module, text):
    with open(project.folder / "src" / module, "a", encoding="utf-8") as file:
        file.write(text)


def test_one_figure_deleted(finished):
    deleted = finished.folder / finished.results / "figures" / "fig4_pi_sweep.svg"
    deleted.unlink()
    before = finished.times()
    assert finished.would_run() == {"fig4_pi_sweep": 1, **LAST}

    outcome = finished.run("figures").succeeded()

    assert outcome.jobs == {"fig4_pi_sweep": 1}
    after = finished.times()
    changed = {name for name in before if after[name] != before[name]}
    assert deleted.is_file()
    drawn = "figures/fig4_pi_sweep"
    files = [f"{drawn}.pdf", f"{drawn}.png", f"provenance/{drawn}.json"]
    assert changed <= {f"{finished.results}/{file}" for file in files}


def test_edited_figure_module_remakes_its_figure_alone(finished):
    add_to_module(
        finished,
        "reproduction/figures/figA7_fraud_prior_sweep.py",
        "\nimport functools\n\ndraw_before = draw\n\n\n"
        "@functools.wraps(draw)\ndef draw(**arguments):\n"
        "    figure = draw_before(**arguments)\n"
        "    figure.suptitle('edited by a test')\n"
        "    return figure\n",
    )
    tables = f"{finished.results}/tables/*"
    before = finished.times(tables)
    assert finished.would_run() == {"figA7_fraud_prior_sweep": 1, **LAST}

    outcome = finished.run("figures").succeeded()

    assert outcome.jobs == {"figA7_fraud_prior_sweep": 1}
    assert finished.times(tables) == before
    figure = finished.folder / finished.results / "figures" / "figA7_fraud_prior_sweep.svg"
    assert "edited by a test" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "jobs"),
    [
        ("reproduction/figures/style.py", FIGURE_RULES),
        ("reproduction/figures/selection_regret.py", _FIGURES_OF_REGRETS),
        ("reproduction/experiments/pi_sweep.py", {**PI_SWEEP, **CLAIMS}),
        ("reproduction/experiments/kl_sweep.py", {**KL_SWEEP, **CLAIMS}),
        ("reproduction/experiments/heuristic.py", {**HEURISTIC, **CLAIMS}),
        ("reproduction/experiments/fraud_prior_sweep.py", {**FRAUD_PRIOR_SWEEP, **CLAIMS}),
        ("reproduction/experiments/monitoring.py", {**MONITORING, **CLAIMS}),
        (
            "reproduction/experiments/sweep_agreement.py",
            {"pi_sweep_agreement": 1, "kl_sweep_agreement": 1, **CLAIMS},
        ),
        ("reproduction/experiments/ranking_scores.py", {**RANKING_SCORES, **CLAIMS}),
        (
            "reproduction/experiments/near_ties.py",
            {**CORRELATIONS, **REGRETS, **CORRECTIONS, **CLAIMS},
        ),
        ("reproduction/experiments/selection_regret.py", REGRETS),
        ("reproduction/experiments/minority_ratio.py", {**MINORITY_RATIO, **CLAIMS}),
        ("reproduction/data/local_models.py", {**RANKING, **CLAIMS}),
        ("reproduction/data/simulator.py", {**FRAUD, **STREAM, **RANKING, **CLAIMS}),
        ("reproduction/claims/handbook.py", CLAIMS),
        ("calibrated_metrics/dominance.py", {**DAVIS_GOADRICH, **CLAIMS}),
        ("reproduction/experiments/undersampling.py", {**HEURISTIC, **CLAIMS}),
        ("reproduction/files.py", EVERYTHING),
        ("reproduction/jobs.py", EVERYTHING),
        ("calibrated_metrics/functions/decision.py", {}),
        ("reproduction/runlock.py", {}),
        ("reproduction/verification.py", {}),
        ("reproduction/report/page.py", {}),
    ],
)
def test_edited_module(untouched, module, jobs):
    source = untouched.folder / "src" / module
    before = source.read_bytes()
    add_to_module(untouched, module, CODE)
    try:
        found = untouched.would_run()
    finally:
        source.write_bytes(before)

    last = LAST if jobs else PAGE if "report" in module else {}
    assert found == {**jobs, **last}


def test_comments_and_docstrings_do_not_count(finished):
    for path in (finished.folder / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        reworded = text.replace('"""', '"""Reworded. ', 1) if text.startswith('"""') else text
        path.write_text(reworded + "\n# A remark.\n", encoding="utf-8")

    assert finished.run().nothing_to_do


def test_more_runs_keep_the_blocks_there_are(finished, reference):
    table = f"{finished.results}/tables/pi_sweep.csv"
    blocks = f"{finished.results}/intermediate/pi_sweep/*"
    before = finished.times(blocks)

    outcome = finished.run(table, settings={"pi_sweep": {"n_runs": 5}}).succeeded()

    assert outcome.jobs == {"pi_sweep_block": 1, "pi_sweep": 1}
    after = finished.times(blocks)
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {blocks.replace("*", "4-5.parquet")}
    old, new = reference.contents(table)[table], finished.contents(table)[table]
    assert new.startswith(old)
    assert len(new) > len(old)


@pytest.mark.parametrize(
    ("settings", "jobs"),
    [
        ({"seed": 1}, SEEDED),
        ({"figures": {"png_dpi": 60}}, FIGURE_RULES),
        ({"kl_sweep": {"n_samples": 30_000}}, {**KL_SWEEP, **CLAIMS}),
        ({"ranking": {"n_bootstrap": 20}}, CORRELATIONS),
        (
            {"ranking": {"conventions": "as_published"}},
            {**CORRELATIONS, **REGRETS},
        ),
    ],
    ids=["seed", "png_dpi", "n_samples", "n_bootstrap", "conventions"],
)
def test_changed_setting(untouched, settings, jobs):
    assert untouched.would_run(settings=settings) == {**jobs, **LAST}
