"""Statements that write, read and describe a table."""

from tests.spark.statements import EMPTY, FILLED, MADE, ROWS, Mentions, Refused, Shows, Step

ROWS_OF_TABLES: dict[str, list[Step]] = {
    "INSERT INTO t …": [MADE, FILLED, ROWS],
    "INSERT INTO t (a) …": [
        "CREATE TABLE {t} (id INT, name STRING DEFAULT 'b') USING lance",
        "INSERT INTO {t} (name, id) VALUES ('a', 1)",
        "INSERT INTO {t} (id) VALUES (2)",
        ROWS,
    ],
    "INSERT INTO t BY NAME …": [
        MADE,
        "INSERT INTO {t} BY NAME SELECT 'a' AS name, 1 AS id",
        "INSERT INTO {t} VALUES (2, 'b')",
        ROWS,
    ],
    "INSERT OVERWRITE t …": [
        MADE,
        "INSERT INTO {t} VALUES (9, 'z')",
        "INSERT OVERWRITE {t} VALUES (1, 'a'), (2, 'b')",
        ROWS,
        Shows("SELECT * FROM {t} VERSION AS OF 2", [(9, "z")]),
    ],
    "INSERT INTO t REPLACE WHERE …": [
        MADE,
        "INSERT INTO {t} VALUES (1, 'a'), (9, 'z')",
        "INSERT INTO {t} REPLACE WHERE id IN (2, 9) VALUES (2, 'b')",
        Refused("INSERT INTO {t} REPLACE WHERE id = 1 VALUES (3, 'c')", "does not satisfy"),
        ROWS,
    ],
    "INSERT INTO t PARTITION (…) …": [
        MADE,
        Refused("INSERT INTO {t} PARTITION (id = 1) VALUES ('a')", "NON_PARTITION_COLUMN"),
    ],
    "LOAD DATA INPATH … INTO TABLE t": [
        MADE,
        Refused("LOAD DATA INPATH '/x' INTO TABLE {t}", "LOAD DATA is not supported"),
    ],
    "DELETE, UPDATE, MERGE": [
        MADE,
        "INSERT INTO {t} VALUES (1, 'x'), (3, 'c')",
        "DELETE FROM {t} WHERE id = 3",
        "UPDATE {t} SET name = 'a' WHERE id = 1",
        "MERGE INTO {t} USING (SELECT 2 AS id, 'b' AS name) s ON {t}.id = s.id WHEN NOT MATCHED THEN INSERT *",
        ROWS,
    ],
    "TRUNCATE TABLE t": [
        MADE,
        FILLED,
        "TRUNCATE TABLE {t}",
        EMPTY,
        Shows("SELECT id FROM {t} VERSION AS OF 2", [(1,), (2,)]),
    ],
    "SELECT … FROM t VERSION AS OF 1": [
        MADE,
        FILLED,
        "CALL lance.system.create_tag('{t}', 'filled', 2)",
        "CALL lance.system.create_branch('{t}', 'side', 1)",
        Shows("SELECT * FROM {t} VERSION AS OF 1", []),
        Shows("SELECT id FROM {t} VERSION AS OF 'filled'", [(1,), (2,)]),
        Shows("SELECT id FROM {t} VERSION AS OF 'side'", []),
        Refused("SELECT * FROM {t} VERSION AS OF 9", "no version 9"),
        Refused("SELECT * FROM {t} VERSION AS OF 'nope'", "no tag and no branch 'nope'"),
    ],
    "SELECT … FROM t TIMESTAMP AS OF …": [
        MADE,
        FILLED,
        Shows("SELECT id FROM {t} TIMESTAMP AS OF current_timestamp()", [(1,), (2,)]),
        Refused("SELECT * FROM {t} TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY", "no version as old as"),
        Refused("SELECT * FROM {t} TIMESTAMP AS OF '2001-01-01'", "no version as old as"),
    ],
    "DESCRIBE t, DESCRIBE EXTENDED t": [
        MADE + " COMMENT 'about t'",
        FILLED,
        Shows("DESCRIBE {t}", [("id", "int", None), ("name", "string", None)]),
        Mentions("DESCRIBE EXTENDED {t}", "_rowaddr"),
        Mentions("DESCRIBE EXTENDED {t}", "about t"),
        Mentions("DESCRIBE EXTENDED {t}", "2 rows"),
    ],
    "DESCRIBE t a": [MADE, Mentions("DESCRIBE {t} name", "string"), Refused("DESCRIBE {t} nope", "nope")],
    "SHOW CREATE TABLE t": [
        "CREATE TABLE {t} (id INT COMMENT 'number') USING lance LOCATION '{tmp}/t' COMMENT 'about t' "
        "TBLPROPERTIES (k = 'v')",
        *[
            Mentions("SHOW CREATE TABLE {t}", text)
            for text in ("id INT COMMENT 'number'", "USING lance", "LOCATION", "about t", "'k' = 'v'")
        ],
    ],
    "SHOW TBLPROPERTIES t": [
        MADE + " TBLPROPERTIES (k = 'v')",
        Shows("SHOW TBLPROPERTIES {t} ('k')", [("k", "v")]),
        Mentions("SHOW TBLPROPERTIES {t} ('nope')", "does not have property"),
    ],
    "SHOW COLUMNS IN t": [MADE, Shows("SHOW COLUMNS IN {t}", [("id",), ("name",)])],
    "SHOW TABLES, SHOW TABLE EXTENDED": [
        MADE,
        Shows("SHOW TABLES LIKE '{t}'", [("default", "{t}", False)]),
        Mentions("SHOW TABLE EXTENDED LIKE '{t}'", "Provider: lance"),
    ],
    "SHOW PARTITIONS t": [MADE, Refused("SHOW PARTITIONS {t}", "does not support partition management")],
}
