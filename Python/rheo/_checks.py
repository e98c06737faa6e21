"""Checks of arguments: what is wrong is a `ValueError` that names the argument, its value and what is allowed."""

from __future__ import annotations

import math
import operator
from typing import Any, TypeVar, get_args

import numpy as np

Name = TypeVar("Name", bound=str)
# Of what has no bound of its own.
_LARGEST = 2**31 - 1


def shown(value: Any) -> str:
    """Returns a value as messages show it."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:79]}…"


def choice(value: Name, name: str, names: Any) -> Name:
    """Returns a name that has been checked; ``names`` is the `Literal` of those that there are."""
    allowed = get_args(names)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} {shown(value)}: it is {', '.join(allowed)}")
    return value


def text(value: str | None, name: str, what: str = "a text") -> str | None:
    """Returns a text that has been checked; None stands for one that is not given."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} {shown(value)}: it is {what}")
    return value


def flag(value: Any, name: str) -> bool:
    """Returns a truth value that has been checked."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} {shown(value)}: it is True or False")
    return bool(value)


def _finite(value: Any) -> float | None:
    """A number as a float; None of what is none, texts and truth values among them."""
    if isinstance(value, bool | np.bool_ | str | bytes):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def number(value: Any, name: str, what: str = "a finite number") -> float:
    """Returns a finite number that has been checked."""
    found = _finite(value)
    if found is None:
        raise ValueError(f"{name} {shown(value)}: it is {what}")
    return found


def optional(value: Any, name: str, what: str = "a finite number") -> float | None:
    """Returns a finite number that has been checked; None stands for one that is not given."""
    return None if value is None else number(value, name, what)


def whole(value: Any, name: str, minimum: int, maximum: int = _LARGEST) -> int:
    """Returns a whole number that has been checked."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} {shown(value)}: it is a whole number") from None
    if not minimum <= found <= maximum:
        upper = "or more" if maximum == _LARGEST and found < minimum else f"to {maximum}"
        raise ValueError(f"{name} {found}: it is {minimum} {upper}")
    return found


def numbers(value: Any, name: str, words: str) -> tuple[float, ...]:
    """Returns finite numbers, as many as there are words: ``"x, y"``."""
    try:
        found = tuple(map(_finite, value))
    except TypeError:
        found = ()
    known = tuple(number for number in found if number is not None)
    if len(known) != len(found) or len(known) != words.count(",") + 1:
        raise ValueError(f"{name} {shown(value)}: it is ({words}), finite numbers")
    return known


def rows(value: Any, name: str, words: str) -> list[tuple[float, ...]]:
    """Returns a list of finite numbers, as many as there are words in each element."""
    try:
        elements = list(value)
    except TypeError:
        raise ValueError(f"{name} {shown(value)}: it is a list of ({words})") from None
    return [numbers(element, f"{name}[{index}]", words) for index, element in enumerate(elements)]
