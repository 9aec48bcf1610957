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
    the path of what is `kept` of it in the folder `resources`: a source that is kept is not
    checked. A source with `accounts` may want one: names of environment variables or files. One of
    them is enough.
    """
    new = [source for source in sources if not Path(source["kept"]).exists()]
    missing = [line for source in new for line in _missing(source)]
    Path(resources).mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(resources).free / 1e6
    if free < (needed := sum(source["megabytes"] for source in new)):
        missing.append(
            f"disk: {resources} has {free:,.0f} MB free, about {needed:,.0f} MB are needed; set "
            "resources_dir to a folder of a larger disk"
        )
    if missing:
        sys.exit("\n".join(["the downloads cannot start:", *missing]))
    described = "".join(f"{_described(source)}\n" for source in new)
    print(described, end="", flush=True)
    return described


def _missing(source: Mapping[str, Any]) -> Iterator[str]:
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


def _described(source: Mapping[str, Any]) -> str:
    hours = source["n_requests"] / source["per_second"] / 3600
    return (
        f"{source['name']}: {source['n_requests']:,} requests, at least {hours:.1f} hours, and "
        f"about {source['megabytes']:,} MB"
    )
