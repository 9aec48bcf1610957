"""What can be asked of the workflow by name."""

import pytest

TABLES = {
    "fraud_predictions",
    "fraud_prior_sweep",
    "fraud_prior_sweep_block",
    "heuristic",
    "kl_sweep",
    "kl_sweep_agreement",
    "kl_sweep_block",
    "pi_sweep",
    "pi_sweep_agreement",
    "pi_sweep_block",
}
FIGURES = {
    "fig4_pi_sweep",
    "fig5_kl_sweep",
    "fig6_heuristic_vs_formula",
    "figA7_fraud_prior_sweep",
}
AGREEMENTS = {"kl_sweep_agreement", "pi_sweep_agreement"}


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        ("reproduction", TABLES | FIGURES),
        ("tables", TABLES),
        ("figures", TABLES - AGREEMENTS | FIGURES),
    ],
)
def test_target(project, target, rules):
    assert set(project.would_run(target)) == rules


def test_lint_finds_nothing(project):
    outcome = project.run("--lint", overlays=[]).succeeded()

    assert "Congratulations" in outcome.output
