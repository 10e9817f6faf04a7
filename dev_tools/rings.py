"""Rings of tests: how much of the suites a run takes. docs/contributing.md says what each is for.

`tests/conftest.py`, `build.sbt` and the Scala suites read the same variable.
"""

import os
from enum import StrEnum

VARIABLE = "SPARKLANCE_TEST_RING"
#: "2/5": the second of five parts of the modules and suites.
PART_VARIABLE = "SPARKLANCE_TEST_PART"


class Ring(StrEnum):
    """Each ring has all tests of the ones before it."""

    FAST = "fast"
    EVERYDAY = "everyday"
    FULL = "full"


#: Markers of pytest and tags of ScalaTest, and the rings that leave their tests out.
LEFT_OUT = {
    "process": {Ring.FAST},
    "slow": {Ring.FAST},
    "cross": {Ring.FAST, Ring.EVERYDAY},
    "long": {Ring.FAST, Ring.EVERYDAY},
    "store": {Ring.FAST, Ring.EVERYDAY},
}


def chosen() -> Ring:
    return Ring(os.environ.get(VARIABLE, Ring.EVERYDAY))


def left_out(ring: Ring) -> list[str]:
    """Returns the markers whose tests do not run in this ring."""
    return [marker for marker, rings in LEFT_OUT.items() if ring in rings]


def part() -> tuple[int, int] | None:
    """Returns the number of the part to run and the count of parts, or None for all."""
    text = os.environ.get(PART_VARIABLE)
    return parsed_part(text) if text else None


def parsed_part(text: str) -> tuple[int, int]:
    """Reads "2/5"; raises ValueError for anything but a number between 1 and the count."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"'{text}' is no part: write the number of the part and how many there are, such as 2/5")
    return int(number), int(count)


def is_in_part(name: str, number: int, count: int) -> bool:
    """Whether a module or suite of this name is in the part. `build.sbt` computes the same."""
    return sum(name.encode()) % count == number - 1
