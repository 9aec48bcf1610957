"""Damaged and hostile files: each reader returns what it promises, or raises its own error.

The long test reads a hundred thousand files.
"""

import pytest
from guard import PeakMemory, address_space
from hostile_files import FORMATS, fuzz

FILES = "hostile files read or refused with the error of their reader"
N_PARTS = 8
MOST_MEMORY = 300e6  # bytes; the files have up to 0.2 MB


def fuzzed(proved, folder, n_files, seed):
    with address_space(8e9), PeakMemory() as peak:
        tally = fuzz(folder, n_files, seed)
    proved(FILES, held=tally.held, tried=tally.tried)
    proved("of these files, refused", held=tally.refused, tried=tally.tried)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.tried == n_files
    assert tally.refused > 0.5 * n_files
    assert peak.growth < MOST_MEMORY


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_the_files_that_are_changed_are_valid(kind, tmp_path):
    path = tmp_path / f"valid{kind.suffix}"
    for content in kind.valid:
        path.write_bytes(content)
        if b"<oml:error" not in content:
            kind.read(path)


def test_some_files(proved, tmp_path):
    fuzzed(proved, tmp_path, 1000, seed=0)


@pytest.mark.long
@pytest.mark.parametrize("part", range(N_PARTS))
def test_a_hundred_thousand_files(proved, tmp_path, part):
    fuzzed(proved, tmp_path, 100_000 // N_PARTS, seed=300 + part)
