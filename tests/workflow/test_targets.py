"""What can be requested from the workflow by name."""

import pytest
from inventory import FIGURE_RULES, TABLE_RULES

# No figure shows these tables.
NOT_DRAWN = {"kl_sweep_agreement", "pi_sweep_agreement", "paper_vs_ours"}
TABLES, FIGURES = set(TABLE_RULES), set(FIGURE_RULES)


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        ("reproduction", TABLES | FIGURES),
        ("tables", TABLES),
        ("figures", TABLES - NOT_DRAWN | FIGURES),
        ("report", TABLES | FIGURES | {"report"}),
        ("readme_figures", TABLES - NOT_DRAWN | FIGURES | {"readme_figures"}),
    ],
)
def test_target(project, target, rules):
    assert set(project.would_run(target)) == rules


def test_lint_finds_nothing(project):
    outcome = project.run("--lint", overlays=[]).succeeded()

    assert "Congratulations" in outcome.output
