"""The page docs/how-to/one-figure.md, followed up to the list of the jobs."""

from pages import every_block_is_a_step, follow, page_of
from runs import Outcome

PAGE = page_of("how-to/one-figure.md")


def test_the_page_works(project):
    assert every_block_is_a_step(PAGE)

    (printed,) = follow(PAGE, project.folder, dry_run=True)

    jobs = Outcome(0, printed).jobs
    assert set(jobs) == {"pi_sweep_block", "pi_sweep", "fig4_pi_sweep"}
    assert "results/better_model/figures/fig4_pi_sweep.pdf" in printed
    assert "results/better_model/tables/pi_sweep.csv" in printed
