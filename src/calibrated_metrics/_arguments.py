"""Checks of the arguments of a call: their names, options and random state."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from calibrated_metrics._hints import meant
from calibrated_metrics._messages import shown

RandomState: TypeAlias = np.random.Generator | int | None

_P = ParamSpec("_P")
_T = TypeVar("_T")


def plain_calls(hint: str = "", **instead: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Say what to write instead of unknown keywords, and of too many arguments by position."""

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        parameters = inspect.signature(function).parameters
        positional = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        by_position = [each.name for each in parameters.values() if each.kind in positional]
        named = [name for name in parameters if name not in by_position]
        name = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def checked(*args: _P.args, **keywords: _P.kwargs) -> _T:
            if len(args) > len(by_position):
                raise TypeError(
                    hint
                    or f"{name} takes only {', '.join(by_position)} by position; give the others "
                    f"by name: {', '.join(named)}"
                )
            hints = [
                f"{each!r}{f' ({instead[each]})' if each in instead else meant(each, parameters)}"
                for each in keywords
                if each not in parameters
            ]
            if hints:
                raise TypeError(f"{name} has no argument {', '.join(hints)}")
            return function(*args, **keywords)

        return checked

    return decorate


def one_of(name: str, value: Any, allowed: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in allowed:
        listed = " or ".join(f'"{each}"' for each in allowed)
        raise ValueError(f"{name} must be {listed}, got {shown(value)}")


def generator(name: str, value: RandomState) -> np.random.Generator:
    """The given generator, a generator seeded by an integer, or an unseeded one for None."""
    if value is None or isinstance(value, np.random.Generator):
        return np.random.default_rng(value)
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} must be None, an int or a numpy.random.Generator, got {shown(value)}"
        )
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {shown(value)}")
    return np.random.default_rng(int(value))
