"""Runs random sequences of steps."""

from collections.abc import Callable

from tests.interop.sequences import columns, indices, merges, rows, versions
from tests.interop.sequences.content import Content
from tests.interop.sequences.state import State
from tests.interop.sequences.table import Table

Step = Callable[[State, bool], Content]

#: Each as often as it stands here.
ROWS: list[Step] = [rows.append, rows.delete, rows.update, merges.merge] * 3
VERSIONS: list[Step] = [*[versions.compact, versions.restore, versions.tag] * 2, versions.overwrite, versions.clean_up]
COLUMNS: list[Step] = [
    *[columns.add, columns.change] * 2,
    *[columns.drop, columns.rename, columns.move, columns.widen],
]
INDICES: list[Step] = [indices.make, indices.optimize, indices.optimize, indices.drop]

TABLES = [(version, stable) for version in ("2.0", "2.1", "2.2") for stable in (False, True)]


def change(state: State, steps: list[Step]) -> None:
    step = state.dice.choice(steps)
    by_spark = state.dice.random() < 0.7
    before = len(state.told)
    try:
        after = step(state, by_spark)
    finally:
        state.told[before:] = [f"{words} by {'Spark' if by_spark else 'pylance'}" for words in state.told[before:]]
    state.settle(after)


def run(table: Table, seed: int, length: int, indexed: bool = False) -> None:
    """A failure tells its seed and steps."""
    state = State(table, seed)
    try:
        state.begin()
        if indexed:
            state.settle(indices.make(state, state.dice.random() < 0.5))
        for _ in range(length):
            change(state, ROWS + VERSIONS + COLUMNS + (INDICES if indexed else []))
            if indexed:
                indices.check(table, state.content, state.dice)
        for version, content in state.kept.items():
            assert table.check(content, version) == content.lineage
        assert table.sql(f"CALL lance.system.validate('{table.path}')") == []
    except BaseException as e:
        steps = "\n".join(f"{i}. {words}" for i, words in enumerate(state.told))
        e.add_note(f"{table.version}, stable {table.stable}, indexed {indexed}, seed {seed}:\n{steps}")
        raise
