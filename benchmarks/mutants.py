"""Apply each fault of `mutants.yaml` in a copy of the project, and print which test finds it.

``python benchmarks/mutants.py [--only 3-7]`` prints a Markdown table with a row for each fault (a
mutant). An entry has the `file`, the `old` text, which occurs once in it, the `new` text, and the
`tests`, the likeliest killer first. A mutant is killed by the first test that fails; it has
survived if all its test files pass. At the end, the tests that failed must pass without a mutant.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
SECONDS = 900  # time limit of the tests of a mutant
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
HEAD = "| mutant | file | change | killed by | seconds |\n|---|---|---|---|---|"


def copied(folder: Path) -> None:
    """Copy the files of the project, also those that are not committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)


def failure(folder: Path, tests: Sequence[str]) -> str | None:
    """The first test that fails in the copy, if one does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "MPLBACKEND": "Agg"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no test ended within {SECONDS} s"
    if done.returncode == 0:
        return None
    found = FAILED.search(done.stdout)
    return found[1] if found else sys.exit(f"pytest failed:\n{done.stdout}{done.stderr}")


def killer(folder: Path, number: int, mutant: dict) -> str | None:
    path, source = folder / mutant["file"], ROOT / mutant["file"]
    text = source.read_text(encoding="utf-8")
    if text.count(mutant["old"]) != 1:
        sys.exit(f"mutant {number}: {mutant['old']!r} must occur once in {mutant['file']}")
    path.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    os.utime(path, (number, number))  # or Python could take the compiled file of another mutant
    try:
        return failure(folder, mutant["tests"])
    finally:
        shutil.copy2(source, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="FIRST-LAST", help="numbers of mutants, such as 3-7")
    mutants = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    first, last = map(int, (parser.parse_args().only or f"1-{len(mutants)}").split("-"))
    killers = []
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as name:
        copied(folder := Path(name))
        for number in range(first, last + 1):
            start, mutant = time.monotonic(), mutants[number - 1]
            found = killer(folder, number, mutant)
            change = f"`{mutant['old']}` → `{mutant['new']}`".replace("|", "\\|")
            cells = number, mutant["file"], change, f"`{found}`" if found else "survived"
            print(f"| {' | '.join(map(str, cells))} | {time.monotonic() - start:.0f} |", flush=True)
            killers += [found] if found and "::" in found else []
        if killers and (wrong := failure(folder, sorted(set(killers)))):
            sys.exit(f"{wrong} fails without a mutant, too")


if __name__ == "__main__":
    main()
