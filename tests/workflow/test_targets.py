"""What can be asked of the workflow by name."""

import pytest

TABLES = {
    "curves_at_priors",
    "davis_goadrich",
    "fraud_predictions",
    "fraud_prior_sweep",
    "fraud_prior_sweep_block",
    "fraud_stream",
    "heuristic",
    "kl_sweep",
    "kl_sweep_agreement",
    "kl_sweep_block",
    "label_free",
    "label_free_convergence",
    "local_predictions",
    "minority_ratio",
    "monitoring",
    "paper_vs_ours",
    "pi_sweep",
    "pi_sweep_agreement",
    "pi_sweep_block",
    "prior_illustration",
    "rank_correlation",
    "rank_correlation_corrections",
    "ranking_scores",
    "ranking_scores_of_a_task",
    "ranking_tasks",
    "selection_regret",
}
FIGURES = {
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
    "fig4_pi_sweep",
    "fig5_kl_sweep",
    "fig6_heuristic_vs_formula",
    "fig7_rank_correlation_all",
    "fig7_rank_correlation_imbalanced",
    "figA7_fraud_prior_sweep",
    "figC9_prior_cdf",
    "figD11_monitoring_calibrated",
    "figC10_rank_correlation_small_prior",
    "fig_rank_correlation_corrections",
    "fig_selection_regret_all",
    "fig_selection_regret_imbalanced",
}
AGREEMENTS = {"kl_sweep_agreement", "pi_sweep_agreement"}


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        ("reproduction", TABLES | FIGURES),
        ("tables", TABLES),
        ("figures", TABLES - AGREEMENTS - {"paper_vs_ours"} | FIGURES),
        ("report", TABLES | FIGURES | {"report"}),
        ("readme_figures", TABLES - AGREEMENTS - {"paper_vs_ours"} | FIGURES | {"readme_figures"}),
    ],
)
def test_target(project, target, rules):
    assert set(project.would_run(target)) == rules


def test_lint_finds_nothing(project):
    outcome = project.run("--lint", overlays=[]).succeeded()

    assert "Congratulations" in outcome.output
