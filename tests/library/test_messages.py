"""Messages about optional packages that are not installed, and progress bars."""

import importlib
import io
import itertools
import sys

import pytest

from calibrated_metrics._messages import extra, with_bar


def message_without(monkeypatch, package, name):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as caught, extra(name):
        importlib.import_module(package)
    assert caught.value.name == package
    return str(caught.value)


def test_a_package_that_is_missing_is_named_with_a_command_for_its_extra(monkeypatch):
    assert message_without(monkeypatch, "matplotlib", "plots") == (
        "the package matplotlib is not installed; install the extra 'plots': pip install "
        '"calibrated-metrics[plots]", or pip install ".[plots]" in a copy of the repository'
    )


def test_a_package_that_is_installed_is_imported():
    with extra("plots"):
        import json
    assert json.loads("1") == 1


def test_other_errors_are_left_as_they_are():
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'"), extra("plots"):
        from json import no_such_name  # noqa: F401


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("file", "seconds", "is_shown"),
    [(Terminal(), 1.0, True), (Terminal(), 0.01, False), (io.StringIO(), 1.0, False)],
    ids=["long", "short", "no terminal"],
)
def test_a_terminal_shows_the_progress_of_long_work(file, seconds, is_shown, monkeypatch):
    pytest.importorskip("tqdm")
    clock = itertools.count(0, seconds)
    monkeypatch.setattr("tqdm.std.time", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", file)
    assert list(with_bar(range(100), "draws")) == list(range(100))
    assert ("draws" in file.getvalue()) == is_shown


def test_without_tqdm_there_is_no_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    steps = range(3)
    assert with_bar(steps, "draws") is steps
