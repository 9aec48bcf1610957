"""The workflow as a Snakemake module, with another prefix and configuration."""

from project import ROOT

SNAKEFILE = f"""
configfile: "mine.yaml"


module papers:
    snakefile:
        "{ROOT}/workflow/Snakefile"
    config:
        config
    prefix:
        "papers"


use rule * from papers as papers_*


rule mine:
    default_target: True
    input:
        "papers/results/figures/fig4_pi_sweep.png",
        "papers/results/provenance.json",
"""
MINE = {"pi_sweep": {"n_samples": 2000, "n_runs": 2, "priors": [0.1, 0.5]}, "seed": 5}


def test_another_workflow_takes_a_figure_of_ours(project):
    for part in ("Snakefile", "config", "workflow", "profiles"):
        (project.folder / part).rename(project.folder / f"unused_{part}")
    (project.folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    project.write("mine.yaml", MINE)
    figure = "papers/results/figures/fig4_pi_sweep.png"

    outcome = project.run(figure, overlays=()).succeeded()

    assert outcome.jobs == {
        "papers_pi_sweep_block": 1,
        "papers_pi_sweep": 1,
        "papers_fig4_pi_sweep": 1,
    }
    assert (project.folder / figure).stat().st_size > 10_000
    assert project.would_run(overlays=())["papers_provenance"] == 1
