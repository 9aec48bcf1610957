"""A job's log tells what ran, what it warned of and how it ended."""

import contextlib
import errno
import logging
import os
import platform
import warnings
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest

from reproduction import records
from reproduction.files import UnusableFileError
from reproduction.joblog import logged


@pytest.fixture
def path(tmp_path):
    return tmp_path / "job.log"


def handlers():
    return [
        handler
        for name in ("reproduction", "py.warnings")
        for handler in logging.getLogger(name).handlers
        if isinstance(handler, logging.FileHandler)
    ]


def read(path):
    return path.read_text(encoding="utf-8")


def fail_with(path, error):
    with logged(path):
        raise error


def test_versions_come_first(path):
    with logged(path):
        pass
    first = read(path).splitlines()[0]
    assert f"Python {platform.python_version()}" in first
    for package in ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib"):
        assert f"{package} {version(package)}" in first
    assert "calibrated-metrics" in first


def test_the_end_of_the_block_comes_last(path):
    with logged(path):
        pass
    assert read(path).splitlines()[-1].endswith("INFO done")


def test_the_block_can_write_to_the_log(path):
    with logged(path) as logger:
        logger.info("π is %g", 0.5)
        logging.getLogger("reproduction.openml.download").warning("slow server")
    assert "INFO π is 0.5" in read(path)
    assert "WARNING slow server" in read(path)


def test_what_others_log_stays_out(path):
    with logged(path):
        logging.getLogger("another_package").error("not ours")
    assert "not ours" not in read(path)


def test_warnings_are_in_the_log(path):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with logged(path):
            warnings.warn("no convergence", UserWarning, stacklevel=1)
            np.log(np.zeros(1))
    assert "UserWarning: no convergence" in read(path)
    assert "RuntimeWarning: divide by zero" in read(path)


def test_warnings_go_their_usual_way_afterwards(path):
    with logged(path):
        pass
    with pytest.warns(UserWarning, match="later"):
        warnings.warn("later", UserWarning, stacklevel=1)
    assert "later" not in read(path)


@pytest.mark.parametrize("error", [ValueError("no positives"), KeyboardInterrupt("stopped")])
def test_an_error_is_logged_with_its_traceback_and_raised_again(path, error):
    with pytest.raises(type(error)) as caught:
        fail_with(path, error)
    assert caught.value is error
    text = read(path)
    assert "ERROR failed\n" in text
    assert "Traceback (most recent call last)" in text
    assert f"{type(error).__name__}: {error}" in text
    assert "fail_with" in text
    assert "INFO done" not in text


def test_no_handler_stays(path):
    before = handlers()
    with logged(path):
        assert len(handlers()) == len(before) + 2
    assert handlers() == before


def test_no_handler_stays_after_an_error(path):
    before = handlers()
    with pytest.raises(ValueError, match="no positives"):
        fail_with(path, ValueError("no positives"))
    assert handlers() == before


def test_a_log_is_written_anew(path):
    for word in ("first", "second"):
        with logged(path) as logger:
            logger.info(word)
    assert "first" not in read(path)
    assert "second" in read(path)


def test_two_jobs_in_turn_have_a_log_each(tmp_path):
    for name in ("a", "b"):
        with logged(tmp_path / name) as logger:
            logger.info("job %s", name)
    assert "job b" not in read(tmp_path / "a")
    assert "job a" not in read(tmp_path / "b")


def test_a_job_runs_where_the_library_is_on_the_path_but_not_installed(path, monkeypatch):
    def not_installed(package):
        if package == "calibrated-metrics":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(records, "version", not_installed)
    before = handlers()
    with logged(path) as logger:
        logger.info("at work")
    assert "at work" in read(path)
    assert handlers() == before


def test_no_handler_stays_when_the_log_cannot_begin(path, monkeypatch):
    def broken(package):
        raise RuntimeError("broken metadata")

    monkeypatch.setattr(records, "version", broken)
    before = handlers()
    with contextlib.suppress(RuntimeError), logged(path):
        pass
    left = [handler for handler in handlers() if handler not in before]
    for handler in left:  # other tests shall not write to it
        for name in ("reproduction", "py.warnings"):
            logging.getLogger(name).removeHandler(handler)
    logging.captureWarnings(False)
    assert not left


def test_a_file_that_cannot_be_used_ends_the_job_with_its_message(path):
    error = UnusableFileError("cannot write results/a.csv: No space left on device")
    with pytest.raises(SystemExit) as ended:
        fail_with(path, error)
    assert ended.value.code == str(error)
    assert f"ERROR {error}" in read(path)
    assert "Traceback" not in read(path)


def test_a_log_that_cannot_be_written_ends_the_job_with_a_message(path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(logging.FileHandler, "_open", full)
    with pytest.raises(SystemExit, match=rf"cannot write {path}: No space left"), logged(path):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_lines_of_the_log_are_lost_while_the_disk_is_full(capfd):
    """The job goes on: its results may be on another disk."""
    with logged("/dev/full") as logger:
        logger.info("lost")
    assert capfd.readouterr().err == ""
