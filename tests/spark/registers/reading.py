"""Claims of docs/reading.md."""

from tests.spark.claims import Claim, Section
from tests.spark.registers import HERE, LISTED
from tests.spark.registers.options import READING

#: Options with a row of their own.
REQUESTS = ("`minRequests`", "`maxRequests`", "`readAheadBytes`", "`metadataCacheBytes`")

REGISTER: dict[str, Section] = {
    "Reading": Section([Claim("options of reads", LISTED)]),
    "Which version is read": Section(
        [
            Claim(
                "a DataFrame of `load`, `table`, `sql` stays at its version; a statement reads one version",
                "SnapshotSuite: a statement that names a table several times reads one version of it",
                "SnapshotSuite: a DataFrame stays at its version, a view of SQL does not",
            ),
            Claim(
                "`CREATE VIEW` is resolved at each use, `createOrReplaceTempView` from Spark 4.1 on",
                "SnapshotSuite: a temporary view of a frame stays at its version on Spark 4.0, and is resolved again",
            ),
            Claim(
                "a table that was dropped and created again is another one",
                "SnapshotSuite: a frame over a dropped table does not read the table that replaced it",
            ),
            Claim(
                "`version`, `tag`, `asOfTimestamp`, as `2026-11-22 06:00:00` or `2026-11-22T06:00:00Z`; "
                "`VERSION AS OF` with a tag, a branch or `branch:number`; `TIMESTAMP AS OF`",
                "ProceduresSuite: a version is read by its tag, its branch, its time, or number",
            ),
        ]
    ),
    "Cached rows": Section(
        [
            Claim(
                '`CACHE TABLE t` and `cache()` of `table("t")` keep `t` at its version; writes to `t`, '
                "`REFRESH TABLE t` and `UNCACHE TABLE t` end that",
                HERE + "test_a_cached_table",
                HERE + "test_a_cached_frame",
                "NamedTableSafetySuite: CACHE TABLE keeps a version, and new versions are seen",
            ),
            Claim(
                "all commits of the session refresh what is cached, also those of `LanceDataset`",
                "test_cached_tables::test_what_is_cached_by_name_is_refreshed",
                "test_cached_tables::test_statements_refresh_other_names_of_their_table",
            ),
            Claim("`VERSION AS OF` and `load` see other versions", HERE + "test_a_cached_table"),
        ]
    ),
    "Small results": Section(
        [
            Claim(
                "rows of a search, of an index, of row ids or a `LIMIT`, and aggregates",
                "LocalResultsSuite: vector searches: exact, by an index, with filters, orders, limits and offsets",
                "LocalResultsSuite: text searches and hybrid ones",
                "LocalResultsSuite: lookups by a key, by row ids and addresses, and aggregates that metadata answer",
            ),
            Claim(
                "no functions of users or random values; at most `localResultBytes`",
                "LocalResultsSuite: functions that the driver must not run, and queries with more rows, start jobs",
            ),
            Claim(
                "`EXPLAIN` shows `LocalBatchScan`, and reads nothing",
                "LocalResultsSuite: EXPLAIN does not search, and plans that are equal are known as such",
            ),
            Claim(
                "a job reads rows that turn out to be larger, and blobs",
                "LocalResultsSuite: rows that turn out to be too many are read by a job",
                "LocalResultsSuite: blobs are read by a job, their descriptors are not",
            ),
        ]
    ),
    "Splits": Section(
        [
            Claim(
                "`splitRows` and `splitBytes`; without them `spark.sql.files.maxPartitionBytes`, "
                "`spark.sql.files.minPartitionNum` and `spark.sql.files.openCostInBytes` count",
                HERE + "test_splits_follow_the_settings_for_files",
                "PushdownSuite: splits are as large as the options say",
            ),
        ]
    ),
    "Requests and memory": Section(rows={name: READING[name] for name in REQUESTS}),
    "Choosing columns and rows": Section(
        [
            Claim(
                "`schema` is what `schema()` takes, `id BIGINT, name STRING`, `struct<id:bigint>` or JSON, in "
                "``CREATE TEMPORARY VIEW v USING lance OPTIONS (path '…', schema '…')``",
                "PathSuite: option `schema` chooses columns, also in CREATE TEMPORARY VIEW … USING lance",
            ),
            Claim(
                "`metadataTable`, `readChangeFeed` and searches are for paths; names have `t.versions`, "
                "`lance_table_changes`, `lance_vector_search`, `lance_fts`, `lance_hybrid_search`",
                "MetadataTableSuite: in the current database, in another one, by path and as an option",
                "SearchSuite: the option is for paths, and has no other keys",
            ),
            Claim(
                "joins find keys of a small table with `pushDownFilters` = `false`",
                "FilterPushdownSuite: a join requests only rows that it can use",
            ),
        ]
    ),
    "Values that Spark cannot hold": Section(
        [
            Claim(
                "`lossyValues` is `error`, `truncate` or `raw`",
                "test_lossy::test_truncates_if_asked_to",
                "test_lossy::test_shows_what_is_stored_if_asked_to",
            ),
        ]
    ),
    "Blobs": Section(
        [
            Claim(
                "`blobHandling`: `descriptors` or `bytes`, also of external blobs",
                "test_blobs::test_reads_descriptors_and_bytes",
                "test_blobs::test_reads_external_blobs",
            ),
            Claim(
                "`UPDATE`, `MERGE` see bytes; `INSERT … SELECT` and `CREATE TABLE … AS SELECT` copy blobs with "
                "`spark.datasource.lance.blobHandling`",
                "test_blob_writes::test_descriptors_are_no_blobs_and_copies_name_the_setting",
            ),
            Claim(
                "`lossyValues` = `raw` for tables with a name: `spark.datasource.lance.lossyValues`",
                "test_lossy::test_a_session_default_applies_to_tables_with_names",
            ),
            Claim(
                "`blobHandling` = `bytes` for tables with a name: `spark.datasource.lance.blobHandling`",
                "test_blobs::test_takes_the_option_from_the_session_for_tables_with_a_name",
            ),
        ]
    ),
}
