"""Statements that create or replace a table."""

from tests.spark.statements import EMPTY, EXTERNAL, FILLED, MADE, ROWS, Mentions, Refused, Shows, Step

CREATING: dict[str, list[Step]] = {
    "CREATE TABLE t (…) USING lance": [MADE, EMPTY, Mentions("DESCRIBE EXTENDED {t}", "MANAGED")],
    "CREATE TABLE t (…) USING lance LOCATION '…'": [
        EXTERNAL,
        FILLED,
        Shows("SELECT * FROM lance.`{tmp}/t`", [(1, "a"), (2, "b")]),
        Mentions("DESCRIBE EXTENDED {t}", "EXTERNAL"),
    ],
    "CREATE TABLE t USING lance LOCATION '…'": [
        "CREATE TABLE lance.`{tmp}/t` USING lance AS SELECT 1 AS x",
        "CREATE TABLE {t} USING lance LOCATION '{tmp}/t' COMMENT 'found'",
        Shows("SELECT x FROM {t}", [(1,)]),
        Refused("CREATE TABLE {u} (y STRING) USING lance LOCATION '{tmp}/t'", "has other columns"),
    ],
    "CREATE TABLE IF NOT EXISTS t …": [
        MADE,
        FILLED,
        "CREATE TABLE IF NOT EXISTS {t} (x INT) USING lance",
        ROWS,
        Refused("CREATE TABLE {t} (x INT) USING lance", "TABLE_OR_VIEW_ALREADY_EXISTS"),
    ],
    "CREATE TABLE t USING lance AS SELECT …": [
        Refused("CREATE TABLE {t} USING lance AS SELECT raise_error('no') || '' AS x", "no"),
        Refused("SELECT * FROM {t}", "TABLE_OR_VIEW_NOT_FOUND"),
        "CREATE TABLE {t} USING lance AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name)",
        ROWS,
        Shows("SELECT version FROM (SELECT 1 AS version)", [(1,)]),
    ],
    "CREATE TABLE t … COMMENT '…' TBLPROPERTIES (…)": [
        MADE + " COMMENT 'about t' TBLPROPERTIES (k = 'v')",
        Mentions("DESCRIBE EXTENDED {t}", "about t"),
        Shows("SHOW TBLPROPERTIES {t}", [("k", "v")]),
        Refused("CREATE TABLE {u} (id INT) USING lance TBLPROPERTIES ('lance.nope' = '1')", "no property 'lance.nope'"),
    ],
    "CREATE TABLE t … OPTIONS (…)": [
        MADE + " OPTIONS (dataStorageVersion = '2.1')",
        Shows("SELECT 1", [(1,)]),
        Refused("CREATE TABLE {u} (id INT) USING lance OPTIONS (dataStorageVersoin = '2.1')", "'dataStorageVersion'"),
    ],
    "CREATE TABLE t (a INT NOT NULL)": [
        "CREATE TABLE {t} (a INT NOT NULL) USING lance",
        Refused("INSERT INTO {t} SELECT CAST(NULL AS INT)", "NOT_NULL"),
        Mentions("SHOW CREATE TABLE {t}", "a INT NOT NULL"),
    ],
    "CREATE TABLE t (a INT DEFAULT …)": [
        "CREATE TABLE {t} (id INT, a INT DEFAULT 2 + 3) USING lance",
        "INSERT INTO {t} VALUES (1, DEFAULT)",
        Shows("SELECT * FROM {t}", [(1, 5)]),
        Mentions("SHOW CREATE TABLE {t}", "a INT DEFAULT 2 + 3"),
    ],
    "CREATE TABLE t (…) PARTITIONED BY (…)": [
        Refused("CREATE TABLE {t} (id INT, b INT) USING lance PARTITIONED BY (b)", "PARTITIONED BY (b) has no meaning"),
        Refused("SELECT * FROM {t}", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
    "CREATE TABLE t (…) CLUSTER BY (…)": [
        Refused("CREATE TABLE {t} (id INT) USING lance CLUSTER BY (id)", "CLUSTER BY (id) has no meaning")
    ],
    "CREATE TABLE t (a INT GENERATED ALWAYS AS (…))": [
        Refused("CREATE TABLE {t} (id INT, a INT GENERATED ALWAYS AS (id + 1)) USING lance", "generated columns")
    ],
    "CREATE TABLE t (a BIGINT GENERATED ALWAYS AS IDENTITY)": [
        Refused("CREATE TABLE {t} (a BIGINT GENERATED ALWAYS AS IDENTITY) USING lance", "identity column")
    ],
    "CREATE TABLE t (a INT CHECK (…))": [
        Refused("CREATE TABLE {t} (a INT CHECK (a > 0)) USING lance", "constraint", "PARSE_SYNTAX_ERROR")
    ],
    "CREATE TABLE t (a INT PRIMARY KEY)": [
        Refused("CREATE TABLE {t} (a INT PRIMARY KEY) USING lance", "constraint", "PARSE_SYNTAX_ERROR")
    ],
    "CREATE TABLE u LIKE t": [MADE],
    "REPLACE TABLE t …, CREATE OR REPLACE TABLE t …": [
        MADE,
        FILLED,
        Refused("REPLACE TABLE {t} USING lance AS SELECT raise_error('no') || '' AS x", "no"),
        ROWS,
        "REPLACE TABLE {t} USING lance AS SELECT 'x' AS y",
        Shows("SELECT * FROM {t}", [("x",)]),
        "CREATE OR REPLACE TABLE {t} USING lance AS SELECT * FROM {t} VERSION AS OF 2",
        ROWS,
    ],
    "CREATE OR REPLACE TABLE t USING parquet …": [
        MADE,
        FILLED,
        Refused("CREATE OR REPLACE TABLE {t} USING parquet AS SELECT 1 AS x", "REPLACE TABLE", "cannot be replaced"),
        ROWS,
    ],
}
