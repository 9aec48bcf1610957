"""What tests of displays read from figures, and pictures that are compared with a baseline."""

import matplotlib.pyplot as plt
import pytest

picture = pytest.mark.mpl_image_compare(style="default", savefig_kwargs={"dpi": 80})


def column(n_rows=1):
    """Axes of a figure that is as wide as a column of a paper, 3.3 inches."""
    plt.rcParams.update({"font.size": 8})
    size = 3.3, 2.5 if n_rows == 1 else 3.6
    return plt.subplots(n_rows, figsize=size, layout="constrained", sharex=True)[1]


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]
