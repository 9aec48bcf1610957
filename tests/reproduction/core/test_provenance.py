"""What made the results, and their SHA-256."""

import subprocess

from reproduction.core import provenance
from reproduction.core.io import sha256_of


def test_results_can_be_checked_by_sha256sum(tmp_path):
    paths = [tmp_path / "tables" / "a.csv", tmp_path / "figures" / "b b.png"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.name)
    content, sums = provenance.describe(list(map(str, paths)), {"seed": 1}, "abc-dirty")
    assert content["commit"] == "abc-dirty"
    assert content["configuration"] == {"seed": 1}
    assert content["packages"]["numpy"]
    (tmp_path / "SHA256SUMS").write_text(sums)
    command = ["sha256sum", "-c", "SHA256SUMS"]
    assert subprocess.run(command, cwd=tmp_path).returncode == 0
    paths[0].write_text("edited")
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 1
    assert "tables/a.csv: FAILED" in checked.stdout


def test_a_file_that_differs_from_its_sum_is_set_aside_unless_its_job_made_it_again(
    tmp_path, capsys
):
    paths = [tmp_path / "tables" / f"{name}.csv" for name in ("cut", "again", "same")]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_text("x,y\n1,2\n")
    (tmp_path / "SHA256SUMS").write_text(provenance.describe(list(map(str, paths)), {}, None)[1])
    provenance.set_aside_damaged(tmp_path)
    assert all(path.exists() for path in paths)

    before = (tmp_path / "SHA256SUMS").read_text()
    provenance.being_made([str(paths[1])])
    paths[0].write_text("x,y\n1,")
    paths[1].write_text("x,y\n3,4\n")
    provenance.set_aside_damaged(tmp_path)

    assert not paths[0].exists()
    assert paths[0].with_name("cut.csv.damaged").read_text() == "x,y\n1,"
    assert [path.read_text() for path in paths[1:]] == ["x,y\n3,4\n", "x,y\n1,2\n"]
    assert str(paths[0]) in capsys.readouterr().err
    provenance.made([str(paths[1])])
    now = (tmp_path / "SHA256SUMS").read_text()
    lines = before.splitlines()
    assert now.splitlines() == [lines[0], f"{sha256_of(paths[1])}  tables/again.csv", lines[2]]


def test_a_folder_without_a_finished_run_has_nothing_to_compare(tmp_path):
    provenance.set_aside_damaged(tmp_path / "new")
    provenance.being_made([str(tmp_path / "new" / "tables" / "a.csv")])
    assert not list(tmp_path.iterdir())


def test_the_commit_is_that_of_the_project():
    assert provenance.commit() is None or len(provenance.commit().removesuffix("-dirty")) == 40
