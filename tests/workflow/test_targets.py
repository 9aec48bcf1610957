"""What can be requested from the workflow by name."""

import pytest
from inventory import FIGURE_RULES, LAST, TABLE_RULES
from runs import SMOKE, Project

# No figure shows these tables.
NOT_DRAWN = {"kl_sweep_agreement", "pi_sweep_agreement", "paper_vs_ours"}
TABLES, FIGURES = set(TABLE_RULES), set(FIGURE_RULES)
PROBE = """
onstart:
    limiter = getattr(workflow.scheduler, "job_rate_limiter", "missing")
    print(f"limiter: {type(limiter).__name__}, local: {workflow.local_exec}", flush=True)

rule all:
    output:
        touch("done")
"""


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        ("all", TABLES | FIGURES | set(LAST)),
        ("reproduction", TABLES | FIGURES | set(LAST)),
        ("tables", TABLES),
        ("figures", TABLES - NOT_DRAWN | FIGURES),
        ("report", TABLES | FIGURES | {"provenance", "report"}),
    ],
)
def test_target(project, target, rules):
    assert set(project.would_run(target)) == rules


def test_figures_of_the_readme_are_those_of_the_default_run(project):
    listed = project.would_run("readme_figures", overlays=[])
    assert set(listed) == TABLES - NOT_DRAWN | FIGURES | {"readme_figures"}

    outcome = project.run("readme_figures", "--dry-run", overlays=[SMOKE])

    assert outcome.code != 0
    assert "readme_figures copies the figures of the default configuration only" in outcome.output
    assert "this run changes pi_sweep, kl_sweep" in outcome.output


def test_snakemake_has_the_rate_limiter_that_local_runs_switch_off(tmp_path):
    """Without this attribute, setting it in the Snakefile's onstart would do nothing."""
    (tmp_path / "Snakefile").write_text(PROBE, encoding="utf-8")

    outcome = Project(tmp_path).run(overlays=[], cores=1).succeeded()

    assert "limiter: JobRateLimiter, local: True" in outcome.output, (
        "workflow.scheduler.job_rate_limiter or workflow.local_exec is not what it was in "
        "Snakemake 9.27: adapt the onstart handler of the Snakefile"
    )
