"""Steps that are about versions and files; most change no row."""

from datetime import timedelta

from tests.interop.sequences.content import Content
from tests.interop.sequences.state import State


def compact(state: State, by_spark: bool) -> Content:
    target = state.dice.choice([30, 100, 1000])
    state.tell(f"compact {target}")
    if by_spark:
        state.table.sql(
            f"CALL lance.system.compact(table => '{state.table.path}', target_rows_per_fragment => {target}, "
            f"materialize_deletions_threshold => {state.dice.choice([0.0, 0.1, 0.5])}D)"
        )
    else:
        state.table.dataset().optimize.compact_files(target_rows_per_fragment=target)
    return state.content


def restore(state: State, by_spark: bool) -> Content:
    version = state.dice.choice(sorted(state.kept))
    state.tell(f"restore {version}")
    if by_spark:
        state.table.sql(f"CALL lance.system.restore('{state.table.path}', '{version}')")
    else:
        state.table.dataset(version).restore()
    return state.kept[version]


def overwrite(state: State, by_spark: bool) -> Content:
    after = state.grown(Content(columns=state.content.columns), state.dice.randint(0, 80))
    rows = list(after.rows.values())
    state.tell(f"overwrite {len(rows)}")
    if by_spark:
        state.table.frame(rows, after.columns).createOrReplaceTempView("all_rows")
        state.table.sql(f"INSERT OVERWRITE {state.table.name} SELECT * FROM all_rows")
    else:
        state.table.write(rows, after.columns, mode="overwrite", max_rows_per_file=30)
    return after


def tag(state: State, by_spark: bool) -> Content:
    name, version = f"tag{len(state.tagged)}", state.dice.choice(sorted(state.kept))
    state.tell(f"tag {version}")
    if by_spark:
        state.table.sql(f"CALL lance.system.create_tag('{state.table.path}', '{name}', '{version}')")
    else:
        state.table.dataset().tags.create(name, version)
    state.tagged[name] = version
    return state.content


def clean_up(state: State, by_spark: bool) -> Content:
    keep = state.dice.randint(1, 6)
    state.tell(f"clean up all but {keep}")
    before = [v["version"] for v in state.table.dataset().versions()]
    if by_spark:
        state.table.sql(
            f"CALL lance.system.cleanup(table => '{state.table.path}', retain_versions => {keep}, "
            "error_if_tagged_old_versions => false)"
        )
    else:
        state.table.dataset().cleanup_old_versions(
            older_than=timedelta(0), retain_versions=keep, error_if_tagged_old_versions=False
        )
    left = {v["version"] for v in state.table.dataset().versions()}
    assert left == {*before[-keep:], *state.tagged.values()} & set(before)
    state.kept = {version: content for version, content in state.kept.items() if version in left}
    return state.content
