"""Hashes change with code, also of imported modules, and with nothing else."""

import pytest

from reproduction.core import code_hash

MODULE = '''
"""A module."""

STEP = 1


class Counter:
    """A counter."""

    def count(self, x):
        """Count."""
        return x + STEP
'''


@pytest.fixture
def hash_of(tmp_path):
    def write_and_hash(text):
        path = tmp_path / "a.py"
        path.write_text(text)
        code_hash._hash.cache_clear()
        return code_hash.of_files([path])

    return write_and_hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("STEP = 1", "STEP = 2"),
        ("x + STEP", "x - STEP"),
        ("def count", "def add"),
        ("return x", 'return "text" and x'),
    ],
)
def test_code_counts(hash_of, old, new):
    assert hash_of(MODULE) != hash_of(MODULE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A module.", "The same module."),
        ("A counter.", "Another counter."),
        ('        """Count."""\n', ""),
        ("STEP = 1", "\n\n# a comment\n\nSTEP = (\n    1\n)"),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(hash_of, old, new):
    changed = MODULE.replace(old, new)
    assert changed != MODULE
    assert hash_of(MODULE) == hash_of(changed)


def test_imported_modules_of_the_project_count(monkeypatch):
    graph = code_hash._graph()
    below = graph.find_upstream_modules("reproduction.pi_sweep.experiment")
    assert {"reproduction.core.sweeps", "calibrated_metrics.rows"} <= below
    assert "reproduction.kl_sweep.experiment" not in below
    assert code_hash.of_function("reproduction.pi_sweep.experiment.run") == code_hash.of_modules(
        "reproduction.core.job", "reproduction.pi_sweep.experiment"
    )
    hashed = []
    monkeypatch.setattr(code_hash, "_hash", hashed.append)
    code_hash.of_modules("reproduction.pi_sweep.experiment")
    assert set(map(code_hash._file, below)) < set(hashed)


def test_experiments_import_names_from_the_modules_that_define_them():
    """The package re-exports all names, so its importers would depend on all of its modules."""
    package = {"calibrated_metrics", "calibrated_metrics.displays", "calibrated_metrics.tables"}
    modules = {name for name in code_hash._graph().modules if name.startswith("reproduction.")}
    for module in modules:
        assert not package & code_hash._graph().find_modules_directly_imported_by(module), module


def test_a_module_that_does_not_exist_is_an_error():
    with pytest.raises(Exception, match="absent"):
        code_hash.of_modules("reproduction.absent")


def test_a_function_that_does_not_exist_is_an_error():
    message = r"pi_sweep.experiment defines no function rum \(did you mean 'run'"
    with pytest.raises(SystemExit, match=message):
        code_hash.of_function("reproduction.pi_sweep.experiment.rum")
