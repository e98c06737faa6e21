"""Times of frames: exact, as containers store them."""

from __future__ import annotations

from fractions import Fraction

from ._checks import number, shown
from ._library import Time

TimeLike = float | int | Fraction

# A time in floating-point seconds becomes a whole number of nanoseconds.
_TICKS = 1_000_000_000
_LIMIT = 2**31 - 1
_LONGEST = 1e9


def ticks(time: TimeLike) -> Time:
    """Returns a time as ticks of a time base.

    A fraction stays exact: of a frame of PyAV that is ``frame.pts * frame.time_base``.
    """
    if isinstance(time, Fraction):
        if time.denominator > _LIMIT or abs(time.numerator) >= 2**63:
            raise ValueError(f"time {time}: the denominator of a fraction is up to {_LIMIT}")
        return Time(time.numerator, 1, time.denominator)
    seconds = number(time, "time", "a number of seconds")
    if abs(seconds) > _LONGEST:
        raise ValueError(f"time {shown(time)}: it is up to {_LONGEST:.0f} seconds")
    return Time(round(seconds * _TICKS), 1, _TICKS)


def seconds(time: dict[str, dict[str, int] | int]) -> float:
    """Returns a time of the library in seconds."""
    base = time["timeBase"]
    value = time["value"]
    assert isinstance(base, dict) and isinstance(value, int)
    return value * base["numerator"] / base["denominator"]
