"""The workflow as a module of another one, with the Snakefile of docs/reproduction/running.md."""

from pages import follow, page_of
from project import ROOT, Project

RULE = """

rule calibrated_auc_pr:
    default_target: True
    input:
        "papers/results/tables/pi_sweep.csv",
    output:
        "calibrated_auc_pr.csv",
    shell:
        "grep -e ^prior -e average_precision@pi0=0.5 {input} > {output}"
"""
SWEEP = {"n_samples": 2000, "n_runs": 2, "priors": [0.1, 0.5]}


def test_the_module_of_the_page_works(tmp_path):
    project = Project(tmp_path)
    (tmp_path / "calibrated-metrics").symlink_to(ROOT)
    project.write("papers.yaml", {"seed": 5, "pi_sweep": SWEEP})
    follow(page_of("reproduction/running.md"), tmp_path)
    with (tmp_path / "Snakefile").open("a", encoding="utf-8") as file:
        file.write(RULE)

    project.run("calibrated_auc_pr.csv", "papers_fig4_pi_sweep", overlays=()).succeeded()

    rows = (tmp_path / "calibrated_auc_pr.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 2 * 2  # runs and priors
    assert (tmp_path / "papers/results/figures/fig4_pi_sweep.png").stat().st_size > 10_000
    assert not project.would_run(overlays=())
    assert project.would_run("papers_all", overlays=())["papers_provenance"] == 1
