"""The page docs/reproduction/one-figure.md, followed in a copy of the project."""

import pandas as pd
from matplotlib.image import imread
from pages import follow, page_of


def test_the_page_works(project):
    follow(page_of("reproduction/one-figure.md"), project.folder)
    results = project.folder / "results/better_model"
    n_pixels = imread(results / "figures/fig4_pi_sweep.png").shape[1]
    assert n_pixels == 200 * 6.3
    assert pd.read_csv(results / "tables/pi_sweep_bands.csv")["n_runs"].eq(10).all()
    assert imread(project.folder / "figure_4.png").std() > 0.05
