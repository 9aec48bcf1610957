"""The page docs/reproduction/extending.md, followed step by step in a copy of the project."""

import pandas as pd
from matplotlib.image import imread
from pages import every_block_is_a_step, follow, page_of
from project import Project

PAGE = page_of("reproduction/extending.md")


def test_every_block_is_a_step():
    assert every_block_is_a_step(PAGE)


def test_the_page_works(tmp_path):
    project = Project.fresh(tmp_path / "project")

    follow(PAGE, project.folder)

    results = project.folder / "results" / "smoke"
    sweep = pd.read_csv(results / "tables" / "pi_sweep.csv")
    own = sweep[sweep["metric"].str.startswith("work_saved")]
    assert set(own["metric"]) == {"work_saved", "work_saved(recall=0.8)@pi0=0.5"}
    assert own["value"].between(0, 1).all()
    missed = sweep.loc[sweep["metric"] == "miss_rate(threshold=0.9)", "value"]
    assert missed.between(0, 1, inclusive="neither").all()
    drawn = (results / "figures" / "fig4_pi_sweep.svg").read_text("utf-8")
    assert "work saved at 80% recall" in drawn
    own_metrics = project.folder / "my_metrics.py"
    own_metrics.write_text(own_metrics.read_text("utf-8") + "\n\nCHANGED = 1\n", "utf-8")
    overlays = ["config/smoke.yaml", "my_metrics.yaml"]
    drawing = "results/smoke/figures/fig4_pi_sweep.png"
    jobs = project.would_run(drawing, overlays=overlays)
    assert jobs == {"pi_sweep_block": 2, "pi_sweep": 1, "pi_sweep_figures": 1}
    judged = pd.read_csv(results / "tables" / "paper_vs_ours.csv")
    assert (judged["verdict"] == "holds").all()
    assert imread(results / "figures" / "chance_level_of_metrics.png").shape[1] > 600
    assert "\nchance_level:\n" in (project.folder / "config" / "config.yaml").read_text("utf-8")
    # The target `all` knows the new table and the new figure.
    everything = project.run("--dry-run", overlays=["config/smoke.yaml"]).succeeded().output
    for name in ("tables/chance_level.csv", "figures/chance_level_of_metrics.png"):
        assert name in everything
