"""Each notebook runs alone, draws within its axes, teaches one step, and is stored without output.

The build of the documentation executes them in a kernel.
"""

import ast
import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import Collection, PathCollection

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
PIXEL = 1.5  # a line on the frame of its axes is within them

# What the reader changes, and what the answer says that is printed then.
STEPS = {
    "agreement": (
        ("transactions(10_000, prior=0.008)", "transactions(10_000, prior=0.05, separation=2.2)"),
        r"as seen: 0\.6\d.*\n.*at 2 %: 0\.4\d \(0\.\d\d to 0\.4\d\)",
    ),
    "deployment": (
        ('predictions(positive, models["Centre"])', 'predictions(positive, models["Bottom"])'),
        r"recall 0\.34",
    ),
    "extending": (
        ('Metric("work_saved", pi0=0.02)', 'Metric("work_saved", pi0=0.02, recall=0.5)'),
        r"0 +0 +0\.02 +0\.5",
    ),
    "monitoring": (
        ('"2026-01"]', '"2026-01", "2026-06"]'),
        r"not refuted[^$]*estimate 0\.49[^$]*labels   0\.37",
    ),
    "gain-above-1": (("n_neg), 0.6", "n_neg), 0.9"), r"right +0\.056\npublished +1\.250"),
    "screening": (
        ("features = list(X)", "features = list(X)[:10]"),
        r"at 1 %: 0\.19 \(0\.12 to 0\.28\)",
    ),
    "the-paper": (("reference = 0.5", "reference = 0.01"), r"meet at π = 0\.01\n"),
    "two-populations": (
        ("least = 4.6", "least = 5.0"),
        r"0\.773[^$]*NPV of heavy minus middle: \+0\.05 \(\+0\.00 to \+0\.10\)",
    ),
}


def _cells(name, cell_type):
    cells = json.loads(NOTEBOOKS[name].read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == cell_type]


def _code(name):
    return ["".join(cell["source"]) for cell in _cells(name, "code")]


def _run(name, change=("", "")):
    """Run a notebook in this process: figures by cell. A last expression is printed."""
    figures, variables = [], {}
    for code in _code(name):
        code = code.replace(*change) if change[0] else code
        tree = ast.parse(code)
        if isinstance(tree.body[-1], ast.Expr):
            last = tree.body[-1]
            printed = ast.Call(ast.Name("print", ast.Load()), [last.value], [])
            tree.body[-1] = ast.copy_location(ast.Expr(printed), last)
        exec(compile(ast.fix_missing_locations(tree), name, "exec"), variables)
        drawn = [plt.figure(number) for number in plt.get_fignums()]
        figures.append(drawn)
        for figure in drawn:
            figure.canvas.draw()
            plt.close(figure)
    return figures


def _points(artist):
    """Points of an artist in pixels, without those that have no place, such as log 0."""
    transform = artist.get_transform()
    if isinstance(artist, PathCollection):  # of scatter
        transform, points = artist.get_offset_transform(), artist.get_offsets()
    elif isinstance(artist, Collection):  # of error bars or bands
        points = np.concatenate([path.vertices for path in artist.get_paths()])
    else:
        points = artist.get_path().vertices
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.ma.filled(transform.transform(points), np.nan)
    return found[np.isfinite(found).all(axis=1)]


def outside(ax):
    """Points that are drawn, but not seen: they lie outside the axes."""
    box = ax.get_window_extent()
    for artist in [*ax.lines, *ax.collections, *ax.patches]:
        x, y = _points(artist).T
        seen = (x >= box.x0 - PIXEL) & (x <= box.x1 + PIXEL)
        seen &= (y >= box.y0 - PIXEL) & (y <= box.y1 + PIXEL)
        for point in zip(x[~seen], y[~seen], strict=True):
            yield artist, ax.transData.inverted().transform(point)


def test_a_point_outside_its_axes_is_noticed():
    _, ax = plt.subplots()
    ax.plot([0, 1], [0, 1])
    ax.set_xlim(0, 1)
    assert not list(outside(ax))
    ax.errorbar(1.2, 0.5, 0.1, fmt="D")
    ax.bar(0.5, 0.5, yerr=2)
    ax.scatter(0.5, -1)
    found = {type(artist).__name__ for artist, _ in outside(ax)}
    plt.close("all")
    assert {"Line2D", "LineCollection"} <= found


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_runs_draws_within_its_axes_and_answers_the_step_of_the_reader(name, capsys, own_registry):
    change, expected = STEPS[name]
    assert sum(change[0] in code for code in _code(name)) == 1
    axes = [ax for drawn in _run(name) for figure in drawn for ax in figure.axes]
    assert axes
    for ax in axes:
        assert list(outside(ax)) == []
    assert not re.search(expected, capsys.readouterr().out)
    _run(name, change)
    assert re.search(expected, capsys.readouterr().out)


def test_sources_have_no_output():
    for name in NOTEBOOKS:
        for cell in _cells(name, "code"):
            assert cell["outputs"] == [], name
            assert cell["execution_count"] is None, name


def test_texts_ask_a_question_leave_a_step_to_the_reader_and_link_to_files():
    for name in NOTEBOOKS:
        text = "\n".join("".join(cell["source"]) for cell in _cells(name, "markdown"))
        assert re.match(r"# [^?\n]+\n\n[^#]*\?", text), name
        assert "<summary>Answer</summary>" in text, name
        for target in re.findall(r"\]\((?!http)([^)#]+)", text):
            assert (ROOT / "notebooks" / target).is_file(), (name, target)
