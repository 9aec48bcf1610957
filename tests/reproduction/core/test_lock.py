"""One run per folder of results."""

import subprocess
import sys

import pytest

from reproduction.core import lock

HOLD = (
    "from reproduction.core.lock import hold; import sys; hold(sys.argv[1]); print(1, flush=True)"
)


def test_a_second_run_is_refused_until_the_first_ends(tmp_path):
    folder = str(tmp_path / "results")
    other = subprocess.Popen(
        [sys.executable, "-c", f"{HOLD}; input()", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout.readline() == b"1\n"
    with pytest.raises(SystemExit, match=r"another run is writing to .*results; wait"):
        lock.hold(folder)
    other.kill()
    other.wait()
    assert subprocess.run([sys.executable, "-c", HOLD, folder]).returncode == 0
