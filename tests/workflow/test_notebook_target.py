"""`snakemake notebooks` executes the notebooks, and again after an edit of the library."""

import json

NOTEBOOK = "results/smoke/notebooks/deployment.ipynb"


def test_notebooks(finished, no_network):
    """One notebook is executed; the build of the documentation executes all of them."""
    n_notebooks = len(list((finished.folder / "notebooks").glob("*.ipynb")))
    assert finished.would_run("notebooks") == {"notebook": n_notebooks}
    executed = finished.folder / NOTEBOOK
    finished.run(NOTEBOOK, prefix=no_network).succeeded()
    _check_executed(executed)

    # An experiment affects no notebook, the library all of them.
    _add_code(finished.folder / "src/reproduction/pi_sweep/figure.py")
    assert not finished.would_run(NOTEBOOK)
    _add_code(finished.folder / "src/calibrated_metrics/spaces.py")
    assert finished.would_run(NOTEBOOK) == {"notebook": 1}

    _fail_at_once(finished.folder / "notebooks" / executed.name)
    failed = finished.run(NOTEBOOK)
    assert failed.code != 0
    assert "KeyError: 'sentence'" in failed.output
    assert not executed.exists()


def _add_code(path):
    path.write_text(path.read_text(encoding="utf-8") + "\n\nadded_by_a_test = 1\n", "utf-8")


def _check_executed(path):
    """A figure, a sentence, no warning, and nothing that differs between runs."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", ()) for output in outputs), path
    assert {each["name"] for each in outputs if each["output_type"] == "stream"} == {"stdout"}, path
    metadata = {key for cell in cells for key in cell["metadata"]}
    assert metadata == {"mystnb"}, path  # texts for pictures, and not the times of the cells


def _fail_at_once(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = ["words = {}\n", "words['sentence']"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
