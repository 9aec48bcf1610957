"""The page docs/extending.md, followed step by step in a copy of the project."""

import pandas as pd
from matplotlib.image import imread
from pages import every_block_is_a_step, follow, page_of
from runs import SMOKE

PAGE = page_of("extending.md")


def test_every_block_is_a_step():
    assert every_block_is_a_step(PAGE)


def test_the_page_works(source, tmp_path):
    project = source.copy(tmp_path / "project", SMOKE)

    follow(PAGE, project.folder)

    results = project.folder / project.results
    sweep = pd.read_csv(results / "tables" / "pi_sweep.csv")
    own = sweep[sweep["metric"].str.startswith("work_saved")]
    assert set(own["metric"]) == {"work_saved", "work_saved(recall=0.8)@pi0=0.5"}
    assert own["value"].between(0, 1).all()
    missed = sweep.loc[sweep["metric"] == "miss_rate(threshold=1)", "value"]
    assert missed.between(0, 1, inclusive="neither").all()
    chance = pd.read_csv(results / "tables" / "chance_level.csv").set_index("metric")
    areas = chance.loc["average_precision"]
    assert (areas["value"] / areas["prior"]).between(0.8, 1.25).all()
    assert chance.loc["average_precision@pi0=0.5", "value"].between(0.45, 0.55).all()
    assert (chance.loc["average_precision@pi0=0.5", "pi0"] == 0.5).all()
    for suffix in ("pdf", "svg"):
        assert (results / "figures" / f"chance_level.{suffix}").stat().st_size > 1000
    assert imread(results / "figures" / "chance_level.png").shape[1] > 600
    assert "\nchance_level:\n" in (project.folder / "config" / "config.yaml").read_text("utf-8")
    # The target `all` and the report know the new table and the new figure.
    report = project.run("report", "--dry-run").succeeded().output
    for name in ("tables/chance_level.csv", "figures/chance_level.png", "chance_level.rst"):
        assert name in report
