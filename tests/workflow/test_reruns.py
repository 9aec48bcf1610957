"""What a change makes Snakemake do again: all that depends on it, and nothing else."""

import pytest

CLAIMS = {"paper_vs_ours": 1}
PI_SWEEP = {
    "pi_sweep_block": 2,
    "pi_sweep": 1,
    "pi_sweep_agreement": 1,
    "fig4_pi_sweep": 1,
    **CLAIMS,
}
KL_SWEEP = {
    "kl_sweep_block": 1,
    "kl_sweep": 1,
    "kl_sweep_agreement": 1,
    "fig5_kl_sweep": 1,
    **CLAIMS,
}
HEURISTIC = {"heuristic": 1, "fig6_heuristic_vs_formula": 1, **CLAIMS}
FRAUD_PRIOR_SWEEP = {
    "fraud_prior_sweep_block": 1,
    "fraud_prior_sweep": 1,
    "figA7_fraud_prior_sweep": 1,
    **CLAIMS,
}
CURVES = {"curves_at_priors": 1, "fig2_curves": 1, **CLAIMS}
FRAUD = {"fraud_predictions": 1, **HEURISTIC, **FRAUD_PRIOR_SWEEP, **CURVES}
MONITORING = {
    "fraud_stream": 1,
    "monitoring": 1,
    "fig1_monitoring": 1,
    "figD11_monitoring_calibrated": 1,
    **CLAIMS,
}
ILLUSTRATION = {"prior_illustration": 1, "fig3_prior_illustration": 1, **CLAIMS}
DAVIS_GOADRICH = {
    "davis_goadrich": 1,
    "dg_fig1": 1,
    "dg_fig5": 1,
    "dg_fig6": 1,
    "dg_fig7": 1,
    **CLAIMS,
}
LABEL_FREE = {
    "label_free": 1,
    "label_free_convergence": 1,
    "cc_table1": 1,
    "cc_table2": 1,
    "cc_convergence": 1,
    **CLAIMS,
}
N_TASKS = 3
CORRELATIONS = {
    "rank_correlation": 3,
    "fig7_rank_correlation_all": 1,
    "fig7_rank_correlation_imbalanced": 1,
    "figC10_rank_correlation_small_prior": 1,
}
REGRETS = {
    "selection_regret": 3,
    "fig_selection_regret_all": 1,
    "fig_selection_regret_imbalanced": 1,
}
CORRECTIONS = {
    "rank_correlation_corrections": 1,
    "fig_rank_correlation_corrections": 1,
    **CLAIMS,
}
MINORITY_RATIO = {"minority_ratio": 1, "figC9_prior_cdf": 1, **CLAIMS}
RANKING_SCORES = {
    "ranking_scores_of_a_task": N_TASKS,
    "ranking_scores": 1,
    **CORRELATIONS,
    **REGRETS,
    **CORRECTIONS,
}
RANKING = {
    "local_predictions": N_TASKS,
    "ranking_tasks": 1,
    **RANKING_SCORES,
    **MINORITY_RATIO,
}
SEEDED = {**PI_SWEEP, **KL_SWEEP, **FRAUD, **MONITORING, **LABEL_FREE, **RANKING}
EVERYTHING = {**SEEDED, **ILLUSTRATION, **DAVIS_GOADRICH}
FIGURES = {rule: 1 for rule in EVERYTHING if rule.startswith(("fig", "dg_", "cc_"))}

CODE = "\n\nadded_by_a_test = 1\n"


def add_to_module(project, module, text):
    with open(project.folder / "src" / module, "a", encoding="utf-8") as file:
        file.write(text)


def test_nothing(finished):
    assert finished.run().nothing_to_do


def test_one_figure_deleted(finished):
    deleted = finished.folder / "results" / "figures" / "fig4_pi_sweep.svg"
    deleted.unlink()
    before = finished.times()

    outcome = finished.run().succeeded()

    assert outcome.jobs == {"fig4_pi_sweep": 1}
    after = finished.times()
    changed = {name for name in before if after[name] != before[name]}
    assert deleted.is_file()
    assert changed <= {f"results/figures/fig4_pi_sweep.{suffix}" for suffix in ("pdf", "png")}


def test_edited_figure_module_remakes_its_figure_alone(finished):
    add_to_module(
        finished,
        "reproduction/figures/figA7_fraud_prior_sweep.py",
        "\n\ndraw_before = draw\n\n\ndef draw(*arguments):\n"
        "    figure = draw_before(*arguments)\n"
        "    figure.suptitle('edited by a test')\n"
        "    return figure\n",
    )
    before = finished.times("results/tables/*")

    outcome = finished.run().succeeded()

    assert outcome.jobs == {"figA7_fraud_prior_sweep": 1}
    assert finished.times("results/tables/*") == before
    figure = finished.folder / "results" / "figures" / "figA7_fraud_prior_sweep.svg"
    assert "edited by a test" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "jobs"),
    [
        ("reproduction/figures/style.py", FIGURES),
        ("reproduction/experiments/pi_sweep.py", PI_SWEEP),
        ("reproduction/experiments/kl_sweep.py", KL_SWEEP),
        ("reproduction/experiments/heuristic.py", HEURISTIC),
        ("reproduction/experiments/fraud_prior_sweep.py", FRAUD_PRIOR_SWEEP),
        (
            "reproduction/experiments/sweep_agreement.py",
            {"pi_sweep_agreement": 1, "kl_sweep_agreement": 1, **CLAIMS},
        ),
        ("reproduction/experiments/ranking_scores.py", RANKING_SCORES),
        ("reproduction/experiments/selection_regret.py", REGRETS),
        ("reproduction/experiments/minority_ratio.py", MINORITY_RATIO),
        ("reproduction/data/local_models.py", RANKING),
        ("reproduction/data/simulator.py", {**FRAUD, **MONITORING, **RANKING}),
        ("calibrated_metrics/dominance.py", DAVIS_GOADRICH),
        ("calibrated_metrics/label_free.py", LABEL_FREE),
        ("reproduction/files.py", EVERYTHING),
        ("calibrated_metrics/metrics.py", LABEL_FREE),
        ("reproduction/runlock.py", {}),
    ],
)
def test_edited_module(finished, module, jobs):
    add_to_module(finished, module, CODE)

    assert finished.would_run() == jobs


def test_comments_and_docstrings_do_not_count(finished):
    for path in (finished.folder / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        reworded = text.replace('"""', '"""Reworded. ', 1) if text.startswith('"""') else text
        path.write_text(reworded + "\n# A remark.\n", encoding="utf-8")

    assert finished.run().nothing_to_do


def test_more_runs_keep_the_blocks_there_are(finished, reference):
    table = "results/tables/pi_sweep.csv"
    blocks = "results/intermediate/pi_sweep/*"
    before = finished.times(blocks)

    outcome = finished.run(table, settings={"pi_sweep": {"n_runs": 3}}).succeeded()

    assert outcome.jobs == {"pi_sweep_block": 1, "pi_sweep": 1}
    after = finished.times(blocks)
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {"results/intermediate/pi_sweep/2-3.parquet"}
    old, new = reference.contents(table)[table], finished.contents(table)[table]
    assert new.startswith(old)
    assert len(new) > len(old)


@pytest.mark.parametrize(
    ("settings", "jobs"),
    [
        ({"seed": 1}, SEEDED),
        ({"figures": {"png_dpi": 60}}, FIGURES),
        ({"kl_sweep": {"n_samples": 3000}}, KL_SWEEP),
        ({"ranking": {"n_bootstrap": 20}}, CORRELATIONS),
        (
            {"ranking": {"conventions": "as_published"}},
            {**CORRELATIONS, **REGRETS},
        ),
    ],
    ids=["seed", "png_dpi", "n_samples", "n_bootstrap", "conventions"],
)
def test_changed_setting(finished, settings, jobs):
    assert finished.would_run(settings=settings) == jobs
