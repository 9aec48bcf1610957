"""The page docs/reproduction/module.md, followed: the workflow as a module of another one."""

from pages import follow, page_of
from project import ROOT, Project


def test_the_page_works(tmp_path):
    project = Project(tmp_path)
    (tmp_path / "calibrated-metrics").symlink_to(ROOT)

    follow(page_of("reproduction/module.md"), tmp_path)

    rows = (tmp_path / "calibrated_auc_pr.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 2 * 2  # runs and priors
    assert (tmp_path / "papers/results/figures/fig4_pi_sweep.png").stat().st_size > 10_000
    assert not project.would_run(overlays=())
    assert project.would_run("papers_all", overlays=())["papers_provenance"] == 1
