"""What made the results, and their SHA-256."""

import subprocess

from reproduction.core import provenance


def test_results_can_be_checked_by_sha256sum(tmp_path):
    paths = [tmp_path / "tables" / "a.csv", tmp_path / "figures" / "b b.png"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.name)
    paths = [*map(str, paths)]
    content, sums = provenance.describe(paths, {"b": paths[:1]}, {"seed": 1}, "abc-dirty")
    assert content["commit"] == "abc-dirty"
    assert content["configuration"] == {"seed": 1}
    assert content["figures"] == {"b": ["tables/a.csv"]}
    assert content["packages"]["numpy"]
    assert all(isinstance(each, str) for each in content["instructions"])
    (tmp_path / "SHA256SUMS").write_text(sums)
    command = ["sha256sum", "-c", "SHA256SUMS"]
    assert subprocess.run(command, cwd=tmp_path).returncode == 0
    (tmp_path / "tables" / "a.csv").write_text("edited")
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 1
    assert "tables/a.csv: FAILED" in checked.stdout


def test_the_commit_is_that_of_the_project():
    assert provenance.commit() is None or len(provenance.commit().removesuffix("-dirty")) == 40
