"""Damaged files for each reader of the OpenML client, from seeded mutations."""

from __future__ import annotations

import dataclasses
import random
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from guard import TooSlowError, cpu_limit
from tally import Tally

from reproduction.openml.arff import read_target
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.run_predictions import read_fields

CPU_SECONDS = 5.0


@dataclasses.dataclass(frozen=True)
class Format:
    """A kind of file: its reader, the errors that it declares, valid files, and words of it.

    The callers of the readers add the name of the item to the message of an error.
    """

    name: str
    suffix: str
    read: Callable[[Path], object]
    errors: tuple[type[Exception], ...]
    valid: tuple[bytes, ...]
    words: tuple[bytes, ...]


# ------------------------------------------------------------------------------- valid files

_RNG = np.random.default_rng(0)
_ROWS = "".join(
    f"0,{row % 10},{row},{'yes' if row % 3 else 'no'},{'no' if row % 4 else 'yes'},{row / 40},"
    f"{1 - row / 40}\n"
    for row in range(20)
)
PREDICTIONS = (
    "@relation 'a run'\n% a comment\n@attribute repeat numeric\n@attribute fold numeric\n"
    "@attribute row_id numeric\n@attribute prediction {yes,no}\n@attribute correct {yes,no}\n"
    "@attribute confidence.yes numeric\n@attribute 'confidence.no' numeric\n@data\n" + _ROWS
).encode()
QUOTED = PREDICTIONS.replace(b",yes", b",'y\\'es, so'").replace(b"{yes,no}", b"{'y\\'es, so',no}")
DATASET = (
    b"@relation d\n@attribute x real\n@attribute 'the target' {a,'b c'}\n@data\n1,a\n2,'b c'\n"
)
# ----------------------------------------------------------------------------------- readers


def _read_predictions(path: Path) -> None:
    columns = read_fields(path)
    assert all(np.isfinite(columns[name]).all() for name in columns if "confidence." in name)


_REFUSED = (ExcludedError,)
_OF_ARFF = (b"'", b'"', b"\\", b"%", b"{", b"}", b"?", b"@data\n", b"@attribute x", b"\0", b"1e999")
_NUMBERS = (b"0", b"-1", b"1e308", b"1e-320", b"nan", b"9" * 400, b"0.5", b"99999999999", b"")

FORMATS = [
    Format(
        "ARFF predictions", ".arff", _read_predictions, _REFUSED, (PREDICTIONS, QUOTED), _OF_ARFF
    ),
    Format(
        "ARFF column",
        ".arff",
        partial(read_target, name="the target"),
        _REFUSED,
        (DATASET,),
        _OF_ARFF,
    ),
]


# --------------------------------------------------------------------------------- mutations


def mutated(rng: random.Random, kind: Format) -> bytes:
    """A valid file with one to four changes."""
    content = rng.choice(kind.valid)
    for _ in range(rng.choice((1, 1, 2, 4))):
        content = rng.choice(_MUTATIONS)(rng, content, kind)
    return content


def _flip(rng, content, kind):
    where = rng.randrange(len(content) or 1)
    return content[:where] + bytes([rng.randrange(256)]) + content[where + 1 :]


def _cut(rng, content, kind):
    return content[: rng.randrange(len(content) + 1)]


def _remove(rng, content, kind):
    start, end = _span(rng, content)
    return content[:start] + content[end:]


def _repeat(rng, content, kind):
    start, end = _span(rng, content)
    return content[:end] + content[start:end] * rng.choice((2, 10)) + content[end:]


def _swap(rng, content, kind):
    start, end = _span(rng, content)
    return content[end:] + content[start:end] + content[:start]


def _insert(rng, content, kind):
    where = rng.randrange(len(content) + 1)
    return content[:where] + rng.choice(kind.words) + content[where:]


def _replace_number(rng, content, kind):
    digits = [place for place, byte in enumerate(content) if 48 <= byte < 58]
    if not digits:
        return _insert(rng, content, kind)
    where = rng.choice(digits)
    return content[:where] + rng.choice(_NUMBERS) + content[where + 1 :]


def _integer(rng, content, kind):
    """Replace four bytes by a number in binary, such as a length."""
    where = rng.randrange(len(content) + 1)
    number = rng.choice((0, 1, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1))
    return content[:where] + number.to_bytes(4, "little") + content[where + 4 :]


def _span(rng, content) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice((1, 4, 20, 200)))


_MUTATIONS = (_flip, _cut, _remove, _repeat, _swap, _insert, _replace_number, _integer)


# ----------------------------------------------------------------------------------- fuzzing


def fuzz(folder: Path, n_files: int, seed: int, most_failures: int = 30) -> Tally:
    """Write hostile files and read them; stop after many failures."""
    rng = random.Random(seed)
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas about mixed types
        while tally.tried < n_files and len(tally.failures) < most_failures:
            kind = rng.choice(FORMATS)
            path = folder / f"hostile{kind.suffix}"
            content = mutated(rng, kind)
            path.write_bytes(content)
            tally.tried += 1
            try:
                with cpu_limit(CPU_SECONDS):
                    kind.read(path)
            except kind.errors as error:
                tally.refused += 1
                message = str(error)
                if len(message) > 100_000 or not message:
                    tally.failures.append(f"{kind.name}: a message of {len(message)} characters")
            except (Exception, TooSlowError) as error:
                what = f"{type(error).__name__}: {str(error)[:200]}"
                tally.failures.append(f"{kind.name}: {what}; {content[:3000]!r}")
    return tally
