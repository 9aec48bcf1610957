"""`snakemake notebooks` executes the notebooks, and again only those that an edit affects."""

import json
from pathlib import Path


def test_notebooks(finished, no_network):
    """One test, so that the notebooks are executed once for any number of pytest workers."""
    outcome = finished.run("notebooks", prefix=no_network).succeeded()

    notebooks = {path.name: path for path in (finished.folder / "notebooks").glob("*.ipynb")}
    executed = finished.folder / "results" / "smoke" / "notebooks"
    assert outcome.jobs == {"notebook": len(notebooks)}
    for name in notebooks:
        _check_executed(executed / name)
    of_run = (executed / "published-numbers.ipynb").read_text(encoding="utf-8")
    assert "30 models fitted by the pipeline, 6 tasks" in of_run
    assert not finished.would_run("notebooks")

    module = finished.folder / "src/reproduction/monitoring/stream.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n\nadded_by_a_test = 1\n")
    affected = finished.run("notebooks", "--dry-run").succeeded()
    named = {Path(log).stem for log in affected.logs if "notebooks" in log}
    assert named == {"agreement", "monitoring"}

    _fail_at_once(notebooks["deployment.ipynb"])
    failed = finished.run("results/smoke/notebooks/deployment.ipynb")
    assert failed.code != 0
    assert "KeyError: 'sentence'" in failed.output
    assert not (executed / "deployment.ipynb").exists()


def _check_executed(path):
    """A figure, a sentence, no warning, and nothing that differs between runs."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", ()) for output in outputs), path
    assert {each["name"] for each in outputs if each["output_type"] == "stream"} == {"stdout"}, path
    assert not any(cell["metadata"] for cell in cells), path  # such as the times of the cells


def _fail_at_once(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = ["words = {}\n", "words['sentence']"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
