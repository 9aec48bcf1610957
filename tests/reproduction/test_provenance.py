"""Fingerprints change with code, and with nothing else."""

import json
import shutil
from pathlib import Path
from textwrap import dedent

import pytest

from reproduction import provenance
from reproduction.provenance import code_hash, notebook_hash, plugins_hash

SOURCE = Path(provenance.__file__).parents[1]


class Package:
    """A source folder whose modules can be edited between two fingerprints.

    Modules are named in full, or relative to `calibrated_metrics`.
    """

    def __init__(self, root):
        self.root = root

    def write(self, module, text):
        path = self._path(module)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")

    def append(self, module, text):
        path = self._path(module)
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

    def hash(self, *modules):
        provenance._read.cache_clear()
        return code_hash(*map(_in_full, modules))

    def _path(self, module):
        return self.root.joinpath(*_in_full(module).split(".")).with_suffix(".py")


def _in_full(module):
    return module if module.startswith("reproduction.") else f"calibrated_metrics.{module}"


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "_ROOT", tmp_path)
    yield Package(tmp_path)
    provenance._read.cache_clear()


@pytest.fixture
def copied(package):
    shutil.copytree(SOURCE, package.root, dirs_exist_ok=True)
    return package


MODULE = '''
"""A module."""

STEP = 1


class Counter:
    """A counter."""

    def count(self, x):
        """Count."""
        return x + STEP
'''


def test_a_fingerprint_is_short_text_and_stable():
    first = code_hash("reproduction.experiments.pi_sweep")
    assert first == code_hash("reproduction.experiments.pi_sweep")
    assert len(first) == 16
    int(first, 16)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("STEP = 1", "STEP = 2"),
        ("x + STEP", "x - STEP"),
        ("def count", "def add"),
        ("STEP = 1\n", "STEP = 1\nprint(STEP)\n"),
        ("return x", 'return "text" and x'),
    ],
)
def test_code_counts(package, old, new):
    package.write("a", MODULE)
    before = package.hash("a")
    package.write("a", MODULE.replace(old, new))
    assert package.hash("a") != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A module.", "The same module."),
        ('"""A module."""\n', ""),
        ("A counter.", "Another counter."),
        ('        """Count."""\n', ""),
        ("STEP = 1", "STEP = 1  # for now"),
        ("STEP = 1", "\n\n# a comment\n\nSTEP = (\n    1\n)"),
        ("x + STEP", "x+STEP"),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(package, old, new):
    package.write("a", MODULE)
    before = package.hash("a")
    changed = MODULE.replace(old, new)
    assert changed != MODULE
    package.write("a", changed)
    assert package.hash("a") == before


def test_text_that_is_no_docstring_counts(package):
    package.write("a", "def f():\n    return 'one'\n")
    before = package.hash("a")
    package.write("a", "def f():\n    return 'two'\n")
    assert package.hash("a") != before


@pytest.mark.parametrize(
    "statement",
    [
        "from calibrated_metrics.inner.b import f",
        "from calibrated_metrics.inner.b import f as g",
        "from calibrated_metrics.inner import b",
        "from calibrated_metrics.inner import other, b",
        "import calibrated_metrics.inner.b",
        "import calibrated_metrics.inner.b as b",
        "from .inner import b",
        "from .inner.b import f",
        "def late():\n    from calibrated_metrics.inner.b import f",
        "from calibrated_metrics.between import thing",
    ],
)
def test_an_imported_module_counts(package, statement):
    package.write("a", statement)
    package.write("inner.__init__", "")
    package.write("inner.b", "f = 1")
    package.write("inner.other", "")
    package.write("between", "from calibrated_metrics.inner.b import f\nthing = f")
    before = package.hash("a")
    package.write("inner.b", "f = 2")
    assert package.hash("a") != before


def test_a_module_beside_does_not_count(package):
    package.write("a", "import json\nfrom json import b\nx = 1")
    package.write("b", "y = 1")
    before = package.hash("a")
    package.write("b", "y = 2")
    assert package.hash("a") == before


def test_modules_may_import_each_other(package):
    package.write("a", "from calibrated_metrics import b")
    package.write("b", "from calibrated_metrics import a\nx = 1")
    assert package.hash("a") == package.hash("b")


def test_a_function_reexported_by_a_package_counts(package):
    package.write("__init__", "from calibrated_metrics.b import f")
    package.write("a", "from calibrated_metrics import f")
    package.write("b", "f = 1")
    before = package.hash("a")
    package.write("b", "f = 2")
    assert package.hash("a") != before


def test_other_names_that_a_package_exports_do_not_count(package):
    package.write(
        "__init__", "from calibrated_metrics.b import f\nfrom calibrated_metrics import c"
    )
    package.write("a", "from calibrated_metrics import f")
    package.write("b", "f = 1")
    package.write("c", "g = 1")
    before = package.hash("a")
    package.write("c", "g = 2")
    assert package.hash("a") == before


def test_several_modules_are_one_fingerprint_in_any_order(package):
    package.write("a", "x = 1")
    package.write("b", "x = 2")
    assert package.hash("a", "b") == package.hash("b", "a")
    assert len({package.hash("a"), package.hash("b"), package.hash("a", "b")}) == 3


def test_equal_code_in_another_module_is_not_the_same(package):
    package.write("a", "x = 1")
    package.write("b", "x = 1")
    assert package.hash("a") != package.hash("b")


@pytest.mark.parametrize(
    "module", ["calibrated_metrics.no_such_module", "reproduction.experiments.no_such", "json"]
)
def test_an_unknown_module_is_refused_by_name(module):
    with pytest.raises(ValueError, match=module):
        code_hash(module)


@pytest.mark.parametrize(
    ("module", "edited"),
    [
        ("reproduction.experiments.pi_sweep", "reproduction.experiments.pi_sweep"),
        ("reproduction.experiments.pi_sweep", "reproduction.core.sweeps"),
        ("reproduction.experiments.pi_sweep", "reproduction.core.streams"),
        ("reproduction.experiments.pi_sweep", "confusion.curve"),
        ("reproduction.experiments.pi_sweep", "sample"),
        ("reproduction.kl_sweep.experiment", "scores.areas"),
        ("reproduction.fraud.heuristic", "reproduction.fraud.undersampling"),
        ("reproduction.fraud.prior_sweep", "scores.metric"),
        ("reproduction.fraud.data", "reproduction.fraud.simulator"),
        ("reproduction.fraud.data", "reproduction.fraud.features"),
        ("reproduction.fraud.data", "reproduction.fraud.creditcard"),
        ("reproduction.figures.fig4_pi_sweep", "reproduction.figures.style"),
        ("reproduction.figures.fig5_kl_sweep", "reproduction.figures.panels"),
        ("reproduction.figures.figA7_fraud_prior_sweep", "scores.metric"),
    ],
)
def test_an_edit_concerns_what_uses_the_module(copied, module, edited):
    before = copied.hash(module)
    copied.append(edited, "\n_EDITED = True\n")
    assert copied.hash(module) != before


@pytest.mark.parametrize(
    ("module", "edited"),
    [
        ("reproduction.experiments.pi_sweep", "reproduction.kl_sweep.experiment"),
        ("reproduction.experiments.pi_sweep", "reproduction.figures.fig4_pi_sweep"),
        ("reproduction.experiments.pi_sweep", "reproduction.figures.style"),
        ("reproduction.experiments.pi_sweep", "reproduction.fraud.data"),
        ("reproduction.experiments.pi_sweep", "reproduction.fraud.undersampling"),
        ("reproduction.fraud.heuristic", "reproduction.fraud.simulator"),
        ("reproduction.fraud.heuristic", "reproduction.figures.panels"),
        ("reproduction.experiments.sweep_agreement", "confusion.curve"),
        ("reproduction.fraud.data", "reproduction.fraud.undersampling"),
        ("reproduction.figures.fig4_pi_sweep", "reproduction.experiments.pi_sweep"),
        ("reproduction.figures.fig6_heuristic_vs_formula", "reproduction.fraud.heuristic"),
    ],
)
def test_an_edit_does_not_concern_what_does_not_use_the_module(copied, module, edited):
    before = copied.hash(module)
    copied.append(edited, "\n_EDITED = True\n")
    assert copied.hash(module) == before


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "reproduction" / "figures").glob("fig*.py")), ids=lambda p: p.stem
)
def test_no_figure_depends_on_an_experiment(copied, path):
    module = f"reproduction.figures.{path.stem}"
    before = copied.hash(module)
    for experiment in (copied.root / "reproduction" / "experiments").glob("*.py"):
        copied.append(f"reproduction.experiments.{experiment.stem}", "\n_EDITED = True\n")
    assert copied.hash(module) == before


@pytest.fixture
def later_process(monkeypatch, package):
    """Starts to remember in a file as a new process does, and returns what it does at its end."""

    def start(path):
        monkeypatch.setattr(provenance, "_REMEMBERED", {})
        monkeypatch.setattr(provenance, "_OUTLINES", {})
        at_exit = []
        monkeypatch.setattr(provenance.atexit, "register", at_exit.append)
        provenance.remember(path)
        (end,) = at_exit
        return end

    return start


@pytest.fixture
def parsed(monkeypatch):
    """Sources that are parsed."""
    sources, parse = [], provenance._parsed
    monkeypatch.setattr(
        provenance, "_parsed", lambda source: sources.append(source) or parse(source)
    )
    return sources


def test_only_an_edited_source_is_parsed_again(package, later_process, parsed, tmp_path):
    package.write("a", "from calibrated_metrics.b import f")
    package.write("b", "f = 1")
    end = later_process(tmp_path / "code.json")
    before = package.hash("a")
    end()
    parsed.clear()

    end = later_process(tmp_path / "code.json")
    assert package.hash("a") == before
    assert parsed == []
    package.write("b", "f = 2")
    assert package.hash("a") != before
    assert parsed == [b"f = 2"]
    end()

    later_process(tmp_path / "code.json")
    package.write("b", "f = 1")
    assert package.hash("a") == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: "",
        lambda text: "{}",
        lambda text: "[]",
        lambda text: text.replace('"maker": "3.', '"maker": "2.'),
    ],
    ids=["cut", "empty", "no content", "another type", "another Python"],
)
def test_what_was_remembered_otherwise_is_not_used(
    package, later_process, parsed, tmp_path, damage
):
    path = tmp_path / "code.json"
    package.write("a", "x = 1")
    end = later_process(path)
    before = package.hash("a")
    end()
    text = path.read_text(encoding="utf-8")
    path.write_text(damage(text), encoding="utf-8")
    parsed.clear()

    end = later_process(path)
    assert package.hash("a") == before
    assert parsed == [b"x = 1"]
    end()
    assert path.read_text(encoding="utf-8") == text


def test_nothing_is_remembered_where_no_file_can_be_written(package, later_process, tmp_path):
    package.write("a", "x = 1")
    (tmp_path / "file").touch()
    end = later_process(tmp_path / "file" / "code.json")
    package.hash("a")
    end()


def test_files_are_fingerprinted_by_their_bytes_in_order(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_bytes(b"x = 1\n")
    second.write_bytes(b"x = 2\n")
    both = plugins_hash([first, second])
    assert both == plugins_hash([str(first), str(second)])
    assert both != plugins_hash([second, first])
    second.write_bytes(b"x = 2  # a comment\n")
    assert both != plugins_hash([first, second])


def test_no_files_have_a_fingerprint_too(tmp_path):
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    assert plugins_hash([]) != plugins_hash([empty])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="gone"):
        plugins_hash([tmp_path / "gone"])


def test_the_hash_of_a_notebook_is_that_of_the_modules_that_its_code_imports(tmp_path):
    cells = [
        ("markdown", "from calibrated_metrics import dominance"),
        ("code", "import json\nfrom calibrated_metrics import spaces"),
        ("code", "from calibrated_metrics.thresholds import choose_threshold"),
    ]
    path = tmp_path / "example.ipynb"
    content = [{"cell_type": kind, "source": text.splitlines(True)} for kind, text in cells]
    path.write_text(json.dumps({"cells": content}), encoding="utf-8")

    assert notebook_hash(path) == code_hash(
        "calibrated_metrics.spaces", "calibrated_metrics.thresholds.choose"
    )
