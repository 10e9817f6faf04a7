"""Statements of our own."""

from tests.spark.statements import EMPTY, FILLED, MADE, ROWS, Refused, Shows, Step

OWN = {
    "OPTIMIZE t": ("OPTIMIZE {t}", "compact('{t}')"),
    "VACUUM t [RETAIN n HOURS] [DRY RUN]": (
        "VACUUM {t} RETAIN 0 HOURS DRY RUN",
        "cleanup('{t}', older_than => '0 hours', error_if_tagged_old_versions => false, dry_run => true)",
    ),
    "DESCRIBE HISTORY t [LIMIT n]": ("DESCRIBE HISTORY {t} LIMIT 2", "history('{t}', limit => 2)"),
    "DESCRIBE DETAIL t": ("DESCRIBE DETAIL '{tmp}/t'", "detail('{t}')"),
    "SHOW TAGS IN t": ("SHOW TAGS IN {t}", "tags('{t}')"),
    "SHOW BRANCHES IN t": ("SHOW BRANCHES FROM '{tmp}/t'", "branches('{t}')"),
    "SHOW INDEXES IN t": ("SHOW INDEXES IN {t}", "indices('{t}')"),
}

# Those that change something, and what it comes to.
CHANGES: dict[str, list[Step]] = {
    "RESTORE TABLE t TO VERSION AS OF n": [
        MADE,
        FILLED,
        "TRUNCATE TABLE {t}",
        "RESTORE TABLE {t} TO VERSION AS OF 2",
        ROWS,
        "RESTORE TABLE {t} TO VERSION AS OF 1",
        EMPTY,
        "RESTORE TABLE {t} TO TIMESTAMP AS OF '2999-01-01'",
        EMPTY,
        Refused("RESTORE TABLE {t} TO VERSION AS OF 99", "no version 99"),
        Refused("RESTORE TABLE {t} TO TIMESTAMP AS OF '2001-01-01'", "no version as old as"),
    ],
    "ALTER TABLE t CREATE TAG v [AS OF VERSION n]": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE TAG `v-1`",
        Shows("SELECT id FROM {t} VERSION AS OF 'v-1'", [(1,), (2,)]),
        "ALTER TABLE {t} CREATE TAG v0 AS OF VERSION 1",
        Shows("SELECT id FROM {t}.tag_v0", []),
        Refused("ALTER TABLE {t} CREATE TAG v0", "v0"),
    ],
    "ALTER TABLE t REPLACE TAG v AS OF VERSION n": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE TAG v",
        "ALTER TABLE {t} REPLACE TAG v AS OF VERSION 1",
        Shows("SELECT id FROM {t}.tag_v", []),
    ],
    "ALTER TABLE t DROP TAG v": [
        MADE,
        "ALTER TABLE {t} CREATE TAG v",
        "ALTER TABLE {t} DROP TAG v",
        Refused("SELECT id FROM {t} VERSION AS OF 'v'", "no tag and no branch 'v'"),
    ],
    "ALTER TABLE t CREATE BRANCH b [AS OF VERSION n]": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE BRANCH `audit-branch` AS OF VERSION 1",
        Shows("SELECT * FROM {t}.`branch_audit-branch`", []),
        "INSERT INTO {t}.`branch_audit-branch` VALUES (9, 'z')",
        ROWS,
    ],
    "ALTER TABLE t DROP BRANCH b": [
        MADE,
        "ALTER TABLE {t} CREATE BRANCH b",
        "ALTER TABLE {t} DROP BRANCH b",
        Refused("SELECT * FROM {t} VERSION AS OF 'b'", "no tag and no branch 'b'"),
    ],
    "ALTER TABLE t CREATE INDEX [IF NOT EXISTS] i USING type (a) [WITH (…)]": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE INDEX i USING btree (id) WITH (zone_size = 100)",
        "ALTER TABLE {t} CREATE INDEX IF NOT EXISTS i USING btree (id)",
        Refused("ALTER TABLE {t} CREATE INDEX i USING btree (id)", "has an index 'i'"),
        Refused("ALTER TABLE {t} CREATE INDEX i ON id", "makes no sense here"),
        ROWS,
    ],
    "ALTER TABLE t OPTIMIZE INDEX i [WITH (…)]": [
        MADE,
        "ALTER TABLE {t} CREATE INDEX i USING btree (id)",
        FILLED,
        "ALTER TABLE {t} OPTIMIZE INDEX i",
        "ALTER TABLE {t} REFRESH INDEX i WITH (retrain = true)",
        Refused("ALTER TABLE {t} OPTIMIZE INDEX i WITH (what = 1)", "makes no sense here"),
        Refused("ALTER TABLE {t} OPTIMIZE INDEX j", "no index 'j'"),
        ROWS,
    ],
    "DESCRIBE INDEX i ON t": [
        MADE,
        "ALTER TABLE {t} CREATE INDEX i USING btree (id)",
        "DESCRIBE INDEX i ON {t}",
        Refused("DESCRIBE INDEX i ON {t} WITH (what = 1)", "makes no sense here"),
        Refused("DESCRIBE INDEX j ON {t}", "no index 'j'"),
    ],
    "ALTER TABLE t DROP INDEX [IF EXISTS] i": [
        MADE,
        "ALTER TABLE {t} CREATE INDEX i USING bitmap (name)",
        "ALTER TABLE {t} DROP INDEX i",
        "ALTER TABLE {t} DROP INDEX IF EXISTS i",
        Refused("ALTER TABLE {t} DROP INDEX i", "no index 'i'"),
    ],
}
