"""Steps that add, change and remove rows."""

from tests.interop.sequences.conditions import assignment, condition
from tests.interop.sequences.content import Content
from tests.interop.sequences.state import State


def append(state: State, by_spark: bool) -> Content:
    after = state.grown(state.content, state.dice.randint(1, 50))
    rows = [row for i, row in after.rows.items() if i not in state.content.rows]
    state.tell(f"append {len(rows)}")
    if by_spark:
        parts = state.dice.randint(1, 2)
        frame = state.table.frame(rows, after.columns).repartition(parts)
        frame.write.format("lance").mode("append").save(state.table.path)
    else:
        state.table.write(rows, after.columns, mode="append", max_rows_per_file=state.dice.choice([20, 100]))
    return after


def delete(state: State, by_spark: bool) -> Content:
    chosen = condition(state.dice, state.content)
    state.tell(f"delete {chosen.sql}")
    if by_spark:
        state.table.sql(f"DELETE FROM {state.table.name} WHERE {chosen.sql}")
    else:
        state.table.dataset().delete(chosen.sql)
    return state.content.without(chosen.holds)


def update(state: State, by_spark: bool) -> Content:
    chosen, change = condition(state.dice, state.content), assignment(state.dice)
    state.tell(f"update {change.column} = {change.sql} where {chosen.sql}")
    if by_spark:
        state.table.sql(f"UPDATE {state.table.name} SET {change.column} = {change.sql} WHERE {chosen.sql}")
    else:
        state.table.dataset().update({change.column: change.sql}, where=chosen.sql)
    return state.content.mapped(chosen.holds, lambda row: {change.column: change.value(row)})
