"""Check, before downloads of hours, that nothing is missing."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import requests

_SECONDS = 20.0  # time limit of an answer


def check(sources: Sequence[Mapping[str, Any]], resources: str) -> str:
    """Describe the downloads; end the run with one line for each thing that is missing.

    A source has a `name`, the `url` that is asked for an answer, the `package` that downloads, the
    command that installs it (`install`), estimates (`n_requests` at `per_second`, `megabytes`), and
    the path of what is `kept` of it in the folder `resources`. If there is something, neither the
    server nor the package is asked for. A source with `accounts` may want one: names of environment
    variables or files. One of them is enough.
    """
    missing = [line for source in sources for line in _missing(source)]
    needed = sum(max(0.0, each["megabytes"] - _megabytes(Path(each["kept"]))) for each in sources)
    free = shutil.disk_usage(_existing(Path(resources).absolute())).free / 1e6
    if free < needed:
        missing.append(
            f"disk: {resources} has {free:,.0f} MB free, about {needed:,.0f} MB are needed; set "
            "resources_dir to a folder of a larger disk"
        )
    if missing:
        sys.exit("\n".join(["the downloads cannot start:", *missing]))
    lines = [_announced(source) for source in sources]
    print(*lines, sep="\n", flush=True)
    return "".join(f"{line}\n" for line in lines)


def _missing(source: Mapping[str, Any]) -> Iterator[str]:
    if Path(source["kept"]).exists():
        return
    name, url = source["name"], source["url"]
    if find_spec(source["package"]) is None:
        yield f"package: {source['package']} is not installed; run {source['install']}"
    try:
        status = requests.head(url, timeout=_SECONDS).status_code
    except requests.RequestException as error:
        yield (
            f"network: {name} does not answer at {url} ({type(error).__name__}); check the network "
            "and its proxy, or run on a machine with access to it"
        )
        return
    accounts = source.get("accounts", [])
    if accounts and status in (401, 403) and not any(map(_is_there, accounts)):
        yield (
            f"rights: {name} wants an account (status {status}); make one, and set one of "
            f"{', '.join(accounts)}"
        )


def _is_there(account: str) -> bool:
    return account in os.environ or Path(account).expanduser().is_file()


def _megabytes(path: Path) -> float:
    """Size of a file, or of the files of a folder; 0 if there is none."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def _existing(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if each.exists())


def _announced(source: Mapping[str, Any]) -> str:
    hours = source["n_requests"] / source["per_second"] / 3600
    return (
        f"{source['name']}: {source['n_requests']:,} requests, at least {hours:.1f} hours, and "
        f"about {source['megabytes']:,} MB, less what is kept in {source['kept']}"
    )
