"""A worker adds, changes and deletes rows of its own, counts up in rows of all, and compacts."""

import random
from typing import Protocol

from tests.soak.race import LOST, Race

KINDS = ["append", "append", "delete", "update", "update", "count", "count", "compact"]
COUNTERS = list(range(1, 11))
CHOSEN, FRESH, TARGET_ROWS, NUMBERS = 3, 5, 200, 1_000_000

# What a commit that lost says; anything else is a failure.
SAID = ("conflict", "concurrent", "preempted", "too many", "others deleted or changed", "lost to other writers")


class Table(Protocol):
    """The table, to some software. Each call commits once, or says that others came first."""

    def append(self, ids: list[int]) -> None: ...
    def delete(self, ids: list[int]) -> None: ...
    def update(self, ids: list[int]) -> None: ...
    def compact(self) -> bool:
        """False if there was nothing to do."""
        ...


def work(table: Table, race: Race) -> None:
    try:
        commit(table, race)
    except BaseException:
        race.fail()
        raise


def commit(table: Table, race: Race) -> None:
    chance, own, given = random.Random(race.number), list[int](), 0
    while race.next():
        kind = chance.choice(KINDS)
        chosen = chance.sample(own, min(len(own), CHOSEN))
        try:
            match kind if chosen else "append":
                case "append":
                    ids = [(race.number + 1) * NUMBERS + given + i for i in range(FRESH)]
                    given += FRESH
                    table.append(ids)
                    own += ids
                    race.tell("append", ids)
                case "delete":
                    table.delete(chosen)
                    own = [i for i in own if i not in chosen]
                    race.tell("delete", chosen)
                case "compact":
                    if table.compact():
                        race.tell("compact", [])
                case kind:
                    ids = chosen if kind == "update" else chance.sample(COUNTERS, CHOSEN)
                    table.update(ids)
                    race.tell("update", ids)
        except Exception as e:
            if not any(word in str(e).lower() for word in SAID):
                raise
            race.tell(LOST, [])
