"""Messages about optional packages that are not installed."""

import sys

import pytest

from calibrated_metrics._messages import extra


def test_a_package_that_is_missing_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = 'the package matplotlib is not installed: pip install "calibrated-metrics[plots]"'
    with pytest.raises(ImportError) as caught, extra("plots"):
        import matplotlib  # noqa: F401
    assert str(caught.value) == message
    assert caught.value.name == "matplotlib"


def test_a_package_that_is_installed_is_imported():
    with extra("plots"):
        import json
    assert json.loads("1") == 1


def test_other_errors_are_left_as_they_are():
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'"), extra("plots"):
        from json import no_such_name  # noqa: F401
