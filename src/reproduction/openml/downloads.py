"""Check, before downloads of hours, that the server answers and the disk has room."""

import shutil
import sys
from pathlib import Path

import requests

_SECONDS = 20.0  # time limit of an answer


def check(url: str, n_tasks: int, n_models: int, requests_per_second: float, resources: str) -> str:
    """Describe the downloads from a server; end the run with one line per thing that is missing.

    The numbers are estimates: a file of predictions has half a megabyte. Nothing is checked if the
    folder `resources` has files of an earlier download.
    """
    if Path(resources, "openml").exists():
        return ""
    n_requests = 2 + n_tasks * (3 + 2 * n_models)
    hours = n_requests / requests_per_second / 3600
    megabytes = 200 + n_tasks * n_models / 2
    missing = []
    try:
        requests.head(url, timeout=_SECONDS)
    except requests.RequestException as error:
        missing.append(
            f"network: OpenML does not answer at {url} ({type(error).__name__}); check the network "
            "and its proxy, or run on a machine with access to it"
        )
    Path(resources).mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(resources).free / 1e6
    if free < megabytes:
        missing.append(
            f"disk: {resources} has {free:,.0f} MB free, about {megabytes:,.0f} MB are needed; set "
            "resources_dir to a folder of a larger disk"
        )
    if missing:
        sys.exit("\n".join(["the downloads cannot start:", *missing]))
    least = f"at least {hours:.1f} hours, and about {megabytes:,.0f} MB"
    described = f"OpenML: {n_requests:,} requests, {least}"
    print(described, flush=True)
    return f"{described}\n"
