"""Steps that merge rows by their ids."""

from tests.interop.sequences.conditions import below
from tests.interop.sequences.content import Content, Row, arrow
from tests.interop.sequences.state import State


def merge(state: State, by_spark: bool) -> Content:
    content = state.content
    known = state.dice.sample(sorted(content.rows), min(len(content.rows), state.dice.randint(0, 30)))
    source = {i: state.values.row(i, content.columns) for i in [*known, *state.values.fresh(5)]}
    return merge_by_spark(state, source) if by_spark else merge_by_pylance(state, source)


def merge_by_pylance(state: State, source: dict[int, Row]) -> Content:
    rows = state.content.rows
    builder = state.table.dataset().merge_insert("id")
    limit = state.dice.choice([None, 200])
    gone = state.dice.choice([None, 300])
    updates, inserts = state.dice.choice([(True, True), (True, False), (False, True)])
    state.tell(f"merge {sorted(source)}: update {updates} below {limit}, insert {inserts}, delete {gone}")
    after = {i: row for i, row in rows.items() if i in source or gone is None or not below(gone).holds(row)}
    if updates:
        builder.when_matched_update_all(None if limit is None else f"source.value < {limit}")
        after |= {i: row for i, row in source.items() if i in rows and (limit is None or below(limit).holds(row))}
    if inserts:
        builder.when_not_matched_insert_all()
        after |= {i: row for i, row in source.items() if i not in rows}
    if gone is not None:
        builder.when_not_matched_by_source_delete(f"value < {gone}")
    builder.execute(arrow(list(source.values()), state.content.columns))
    return state.content.having(after)


def merge_by_spark(state: State, source: dict[int, Row]) -> Content:
    dice, content = state.dice, state.content
    clauses, after = [], dict(content.rows)
    part, limit = dice.randint(0, 4), dice.randint(-50, 500)
    dropped = dice.random() < 0.5
    if dropped:
        clauses.append(f"WHEN MATCHED AND s.value < {limit} THEN DELETE")
    whole = dice.choice([True, False, None])
    if whole is not None:
        clauses.append("WHEN MATCHED THEN UPDATE SET " + ("*" if whole else "t.value = s.value + t.id"))
    for i, row in source.items():
        if i not in content.rows:
            continue
        if dropped and below(limit).holds(row):
            del after[i]
        elif whole is not None:
            change = row if whole else {"value": None if row["value"] is None else row["value"] + i}
            after[i] = content.rows[i] | change
    inserting = dice.choice(["", f"s.id % 5 = {part}", None])
    if inserting is not None:
        clauses.append(f"WHEN NOT MATCHED {inserting and 'AND ' + inserting} THEN INSERT *")
        new = {i: row for i, row in source.items() if i not in content.rows}
        after |= {i: row for i, row in new.items() if not inserting or i % 5 == part}
    others = dice.choice([None, "DELETE", "UPDATE SET t.word = 'left'"])
    if others is not None or not clauses:
        others = others or "DELETE"
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND t.id % 5 = {part} THEN {others}")
        for i, row in content.rows.items():
            if i % 5 == part and i not in source:
                if others == "DELETE":
                    del after[i]
                else:
                    after[i] = row | {"word": "left"}
    state.tell(f"merge {sorted(source)}: {' '.join(clauses)}")
    state.table.frame(list(source.values()), content.columns).createOrReplaceTempView("merged_rows")
    state.table.sql(f"MERGE INTO {state.table.name} t USING merged_rows s ON t.id = s.id {' '.join(clauses)}")
    return content.having(after)
