"""Files of the pipeline: atomic writes, equal bytes for equal tables, errors that name the file."""

import errno
import os

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduction.core import io

TABLE = pd.DataFrame({"x": [0.1, 1 / 3, None], "name": ["a", "π₀", ""]})


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_is_read_as_it_was_written(tmp_path, suffix):
    path = tmp_path / "new folder" / f"table.{suffix}"
    io.write(TABLE, path)
    read = io.read_table(path)
    pd.testing.assert_series_equal(read["x"], TABLE["x"], check_exact=True)
    first = path.read_bytes()
    io.write(read.assign(name=TABLE["name"]), path)
    assert path.read_bytes() == first
    assert os.listdir(path.parent) == [path.name]


def test_names_of_tasks_stay_text(tmp_path):
    io.write(pd.DataFrame({"task": ["007"], "run": ["1"], "value": [2]}), tmp_path / "t.csv")
    assert io.read_table(tmp_path / "t.csv").loc[0, ["task", "run"]].to_list() == ["007", "1"]


def test_no_cell_is_a_formula_of_a_spreadsheet(tmp_path):
    cells = ["=cmd|' /C calc'!A1", "@x", "+x", "-x", "-0.26", "+1e-05", "a=b", "−x", None]
    kept = ["'=cmd|' /C calc'!A1", "'@x", "'+x", "'-x", *cells[4:]]
    table = pd.DataFrame({"task": cells, "value": range(-4, 5)})
    for kind in ("str", "object", "category"):
        io.write(table.astype({"task": kind}), tmp_path / "t.csv")
        read = io.read_table(tmp_path / "t.csv")
        assert read["task"].fillna("").tolist() == [each or "" for each in kept]
        assert read["value"].tolist() == table["value"].tolist()
    io.write(read, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()


def test_a_line_end_in_a_name_makes_no_row_and_no_formula(tmp_path):
    """A carriage return was written without quotation marks, and so ended the row."""
    cells = ["a\r=1+1", "a\r\nb", "\r=1", "\t=1", " @x"]
    io.write(pd.DataFrame({"task": cells, "value": range(5)}), tmp_path / "t.csv")
    read = io.read_table(tmp_path / "t.csv")
    assert read["task"].tolist() == ["a\n=1+1", "a\nb", "'\n=1", "'\t=1", "' @x"]
    assert read["value"].tolist() == list(range(5))


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    io.write({"a": 1}, path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        io.write({"a": float("nan")}, path)
    assert path.read_text() == '{\n  "a": 1\n}\n'
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match=r"cannot write .*a\.json: No space left on device; fix this"):
        io.write({}, tmp_path / "a.json")


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_a_damaged_table_is_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ValueError, match=rf"{name} is damaged .*delete it"):
        io.read_table(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"absent\.csv"):
        io.read_table(tmp_path / "absent.csv")


def test_figures_have_the_same_bytes_again(tmp_path):
    def drawn(folder):
        figure, axes = plt.subplots(layout="constrained")
        axes.plot([1, 2], label="$π_0$")
        axes.legend()
        for suffix in ("pdf", "png", "svg"):
            io.write(figure, tmp_path / folder / f"figure.{suffix}")
        plt.close(figure)
        return [path.read_bytes() for path in sorted((tmp_path / folder).iterdir())]

    assert drawn("a") == drawn("b")
