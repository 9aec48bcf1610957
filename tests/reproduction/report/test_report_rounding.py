"""Numbers as they are read."""

import pytest

from reproduction.report.rounding import fixed, is_number, readable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.5478316899290213", "0.5478"),
        ("0.510", "0.510"),  # as printed in the paper
        ("-0.5", "−0.5"),
        ("-0.50092792280002", "−0.5009"),
        ("1743489.0", "1743489"),
        ("284807", "284807"),
        ("3.252032496414387e-05", "3.252e−05"),
        ("> 0.9 of all", "> 0.9 of all"),
        ("<= 0.5", "≤ 0.5"),
        ("True", "yes"),
        ("pre-printed", "pre-printed"),
        ("", "–"),
    ],
)
def test_readable(text, shown):
    assert readable(text) == shown


def test_fixed():
    assert fixed("-0.12351", 3) == "−0.124"
    assert fixed("", 3) == "–"


@pytest.mark.parametrize(
    ("text", "expected"), [("−0.5", True), ("1e-3", True), ("", False), ("nan", False)]
)
def test_is_number(text, expected):
    assert is_number(text) is expected


def test_rounding_errors_are_zero_and_bounds_have_minus_signs():
    assert [readable(text) for text in ("1.1102230246251565e-16", "-5.551115123125783e-17")] == [
        "0",
        "0",
    ]
    assert readable("<= -0.01") == "≤ −0.01"
    assert readable("1.2345678e-12") == "1.235e−12"
