"""Damaged files: each reader returns what it promises, or raises its own error.

The long test reads a hundred thousand files.
"""

from functools import partial

import pytest
from hostile_files import FORMATS, fuzz
from tally import check

FILES = "hostile files read or refused with the error of their reader"
N_PARTS = 8
MOST_MEMORY = 300e6  # bytes; the files have up to 0.2 MB


def fuzzed(proved, folder, n_files, seed):
    tally = check(proved, FILES, n_files, partial(fuzz, folder, n_files, seed), MOST_MEMORY)
    assert tally.refused > 0.5 * n_files


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_the_files_that_are_changed_are_valid(kind, tmp_path):
    path = tmp_path / f"valid{kind.suffix}"
    for content in kind.valid:
        path.write_bytes(content)
        kind.read(path)


def test_some_files(proved, tmp_path):
    fuzzed(proved, tmp_path, 1000, seed=0)


@pytest.mark.long
@pytest.mark.parametrize("part", range(N_PARTS))
def test_a_hundred_thousand_files(proved, tmp_path, part):
    fuzzed(proved, tmp_path, 100_000 // N_PARTS, seed=300 + part)
