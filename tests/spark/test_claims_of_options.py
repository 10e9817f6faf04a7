"""Each claim of docs/options.md, with the test that holds it: here, or elsewhere."""

from collections.abc import Iterator
from uuid import uuid4

import lance
import pyarrow as pa
import pytest
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from tests.spark.claims import Claim, Section, missing_tests, problems

HERE = "test_claims_of_options::"
BATCHES = "BatchesSuite: a batch that is written again by path changes nothing, and its query does not run"
REMEMBERED = ("test_keep_indices::test_what_a_table_remembers",)
OVERWRITES = "test_keep_indices::test_every_overwrite_takes_the_option"
REFUSED = "test_keep_indices::test_indices_that_cannot_be_built_again_refuse_the_write"
COLUMNS = "ColumnsSuite: columns get other values, in all rows or in some, and others stay as they are"

OPTIONS: dict[str, tuple[str, ...]] = {
    "`version`": ("test_read::test_reads_an_older_version",),
    "`tag`": ("ProceduresSuite: a version is read by its tag, its branch, its time, or number",),
    "`asOfTimestamp`": ("ProceduresSuite: a version is read by its tag, its branch, its time, or number",),
    "`nearest`": ("SearchSuite: the option is for paths, and has no other keys",),
    "`fullTextQuery`": ("FullTextSuite: what does not fit is refused with a reason",),
    "`hybridSearch`": ("FullTextSuite: a hybrid search ranks the rows of both searches",),
    "`metadataTable`": ("MetadataTableSuite: in the current database, in another one, by path and as an option",),
    "`schema`": ("PathSuite: option `schema` chooses columns, also in CREATE TEMPORARY VIEW … USING lance",),
    "`batchSize`": ("LanceOptionsSuite: options are typed, whatever their case", HERE + "test_batch_size"),
    "`splitRows`": ("PushdownSuite: splits are as large as the options say",),
    "`splitBytes`": ("PushdownSuite: splits are as large as the options say",),
    "`minRequests`": (
        "LanceOptionsSuite: how much is read at a time, and ahead, may differ from what suits the store",
        "DepthSuite: requests that fail take a part of the others away, but once, and no more than the lower bound",
    ),
    "`maxRequests`": (
        "DepthSuite: a store that answers late, and any number of requests, gets as many as it may",
        "DepthSuite: bounds that are equal fix the number",
        "LanceOptionsSuite: how much is read at a time, and ahead, may differ from what suits the store",
        "IoSchedulerSuite: a store has no more requests at a time than it should, of however many tasks",
    ),
    "`readAheadBytes`": (
        "LanceOptionsSuite: how much is read at a time, and ahead, may differ from what suits the store",
    ),
    "`metadataCacheBytes`": (
        "MetadataCacheSuite: the cache shrinks when a read says so, and keeps no index structure that would fill it",
        "RandomAccessSuite: single rows take a few reads, and later ones of the same pages fewer",
    ),
    "`pushDownFilters`": (
        "FilterPushdownSuite: with the option 'pushDownFilters' = false Spark evaluates all filters",
    ),
    "`useScalarIndex`": ("test_scalar_indices::test_options",),
    "`approximateOrder`": ("DistanceOrdersSuite: an index answers if the session allows approximate orders",),
    "`brokenIndices`": ("test_scalar_indices::test_damaged_files",),
    "`lossyValues`": ("test_lossy::test_truncates_if_asked_to", "test_lossy::test_shows_what_is_stored_if_asked_to"),
    "`blobHandling`": (
        "test_blobs::test_reads_descriptors_and_bytes",
        "test_blobs::test_reads_external_blobs",
        "test_blob_writes::test_descriptors_are_no_blobs_and_copies_name_the_setting",
    ),
    "`startingVersion`": (
        "ChangesSuite: startingVersion and endingVersion return the rows that commits of the range appended",
        "SourceSuite: startingVersion, startingTimestamp and latest choose where a stream begins",
    ),
    "`startingTimestamp`": (
        "ChangesSuite: timestamps start and end a range",
        "SourceSuite: startingVersion, startingTimestamp and latest choose where a stream begins",
    ),
    "`endingVersion`": (
        "ChangesSuite: startingVersion and endingVersion return the rows that commits of the range appended",
    ),
    "`endingTimestamp`": ("ChangesSuite: timestamps start and end a range",),
    "`readChangeFeed`": ("ChangesSuite: the change feed has inserts, both images of updates, and deletes",),
    "`netChanges`": ("ChangesSuite: net changes leave out what a later commit of the range undid",),
    "`maxFilesPerTrigger`": (
        "SourceSuite: maxFilesPerTrigger, maxRowsPerTrigger and maxBytesPerTrigger limit each batch",
    ),
    "`maxBytesPerTrigger`": (
        "SourceSuite: maxFilesPerTrigger, maxRowsPerTrigger and maxBytesPerTrigger limit each batch",
    ),
    "`maxRowsPerTrigger`": (
        "SourceSuite: maxFilesPerTrigger, maxRowsPerTrigger and maxBytesPerTrigger limit each batch",
    ),
    "`minRowsPerTrigger`": ("SourceSuite: a batch waits for minRowsPerTrigger, but no longer than maxTriggerDelay",),
    "`maxTriggerDelay`": ("SourceSuite: a batch waits for minRowsPerTrigger, but no longer than maxTriggerDelay",),
    "`ignoreDeletes`": (
        "SourceSuite: deleted, changed and replaced rows stop a stream, unless an option passes over them",
    ),
    "`skipChangeCommits`": (
        "SourceSuite: deleted, changed and replaced rows stop a stream, unless an option passes over them",
    ),
    "`allowAddedColumns`": (
        "SourceSuite: a change of columns stops a running query, and a new run goes on with the new columns",
    ),
    "`failOnDataLoss`": ("SourceSuite: a version that was cleaned up stops a stream, unless failOnDataLoss is false",),
    "`dataStorageVersion`": ("PathSuite: the files' version can be chosen for a new table, and stays",),
    "`enableStableRowIds`": ("test_tables::test_rows_get_stable_ids", HERE + "test_a_replaced_table_keeps_its_row_ids"),
    "`maxRowsPerFile`": (HERE + "test_rows_of_a_file",),
    "`maxBytesPerFile`": (
        "PathSuite: files end when they are large, and pages when all columns together fill the buffer",
    ),
    "`writeBufferBytes`": (
        "PathSuite: files end when they are large, and pages when all columns together fill the buffer",
    ),
    "`pageBytes`": ("WidePagesSuite: pages of many columns have their size, within the same buffer",),
    "`clusterColumns`": ("RowLayoutSuite: rows with equal values go to the same task, sorted if requested",),
    "`orderColumns`": ("RowLayoutSuite: files follow one another in the order of columns",),
    "`columnGroups`": ("test_column_files::test_pylance_reads_and_changes_groups_of_columns",),
    "`advisoryPartitionSize`": ("RowLayoutSuite: small tasks are joined, and large ones divided",),
    "`mergeSchema`": (
        "MergeSchemaSuite: new columns follow the others and are null where nothing was written, in one version",
    ),
    "`compression`": ("test_written_encodings::test_the_option_compression_counts_where_a_column_asks_for_nothing",),
    "`statistics`": ("AggregatesSuite: without statistics, aggregates are computed from the values",),
    "`optimizeIndices`": ("IndexAnswersSuite: appends and compactions keep indices fresh",),
    "`isolation`": ("MergeKeysSuite: the level is the statement's, the session's or the table's",),
    "`keepIndices`": (OVERWRITES,),
    "`txnAppId`": (BATCHES,),
    "`txnVersion`": ("BatchesSuite: a batch has a name and a number",),
    "`uncommitted`": ("test_dataset::test_writing_without_a_commit",),
    "`columns`": (COLUMNS,),
    "`columnsOn`": ("ColumnsSuite: rows are identified by their ids, or by keys",),
    "`columnsJob`": (
        "BackfillJobsSuite: a failed job continues where it stopped, without rewriting finished fragments",
    ),
    "`columnsVersion`": (
        "ColumnsSuite: rows that others add or move meanwhile are computed, too, and finished fragments only once",
    ),
    "`mergeKeys`": ("UpsertStreamsSuite: replaced rows keep their stable ids, which the change feed shows as updates",),
    "`compactEvery`": ("UpsertStreamsSuite: the table is compacted every few epochs, and no epoch is lost to that",),
    "`branch`": ("test_refs::test_a_branch_is_written_to_by_an_option",),
    "`commitHandler`": ("LanceOptionsSuite: options are typed, whatever their case",),
}

REGISTER: dict[str, Section] = {
    "Options": Section(
        [
            Claim("any mix of upper and lower case", "LanceOptionsSuite: options are typed, whatever their case"),
            Claim(
                "an unknown option, or one of the other direction, is an error",
                "LanceOptionsSuite: an unknown option is named, with the nearest known one",
                "LanceOptionsSuite: an option for writing is not known for reading, and the other way round",
            ),
            Claim("``SELECT … FROM t WITH (`batchSize` = '1024')``", HERE + "test_a_select_takes_reading_options"),
            Claim(
                "`CREATE TABLE t (…) USING lance OPTIONS (dataStorageVersion = '2.1')`",
                "test_sql_statements::test_statement",
            ),
            Claim(
                "`spark.datasource.lance.<option>` counts where the statement says nothing",
                "LanceOptionsSuite: the session's defaults count where a statement sets no option",
                HERE + "test_a_statement_wins_over_the_session",
            ),
            Claim(
                "`lossyValues` = `raw` for tables with a name: `spark.datasource.lance.lossyValues`",
                "test_lossy::test_a_session_default_applies_to_tables_with_names",
            ),
            Claim(
                "`blobHandling` = `bytes` for tables with a name: `spark.datasource.lance.blobHandling`",
                "test_blobs::test_takes_the_option_from_the_session_for_tables_with_a_name",
            ),
            Claim(
                "without `splitRows` and `splitBytes`, `spark.sql.files.maxPartitionBytes`, "
                "`spark.sql.files.minPartitionNum` and `spark.sql.files.openCostInBytes` count",
                HERE + "test_splits_follow_the_settings_for_files",
                "PushdownSuite: splits are as large as the options say",
            ),
            Claim(
                "joins find keys of a small table with `pushDownFilters` = `false`",
                "FilterPushdownSuite: a join requests only rows that it can use",
            ),
            Claim(
                '`spark.conf.set("fs.s3a.endpoint", …)`, `spark.hadoop.fs.s3a.endpoint`, and options of one table',
                "test_s3::test_settings_of_one_table",
                "test_s3::test_settings_of_a_catalog",
            ),
            Claim(
                "`lance.write.<option>` for all writes to a table, as "
                "`CREATE TABLE … USING lance TBLPROPERTIES ('lance.write.orderColumns' = 'day, id')`; "
                "not `txnAppId`, `txnVersion`, `uncommitted`, `branch`, `columns…`",
                HERE + "test_an_option_as_a_property",
            ),
            Claim(
                "names that are known take effect or are refused: unknown ones of `lance.`, those of `sparklance.`, "
                "and lance-spark's `enable_stable_row_ids`, `file_format_version`, `batch_size`, `build_mode`, "
                "`<column>.lance.encoding`, `<column>.lance.compression` and `<column>.arrow.large_var_char`, "
                "and options without their prefix, such as `maxRowsPerFile`",
                "TablePropertiesSuite: names of the reference connector and of jobs are refused with a cure",
                "TablePropertiesSuite: options for new tables among the properties count without AS SELECT, and "
                "OPTIONS win",
            ),
        ],
        OPTIONS,
    ),
    "Where a table is created": Section(
        [
            Claim(
                "other files refuse every statement that makes a table: `save`, `LOCATION`, `saveAsTable`, `writeTo`; "
                "the error says ``CREATE TABLE … USING lance AS SELECT * FROM parquet.`/data/flights` ``",
                "OtherFilesSuite: CREATE TABLE and its kin refuse such a directory by its path, before a job runs",
                "OtherFilesSuite: LOCATION refuses such a directory, and leaves no name behind",
                "OtherFilesSuite: clones and streams refuse such a directory",
                "test_bad_input::test_a_write_into_a_directory_of_another_format",
            ),
            Claim(
                "`.`, `_`, `.DS_Store`, `_SUCCESS`, `data/*.lance`, `_transactions` do not count; `_delta_log` does",
                "OtherFilesSuite: hidden files, empty directories and what a failed write has left do not count",
            ),
        ]
    ),
    "Overwriting a table": Section(
        [
            Claim(
                '`df.write.format("lance").mode("overwrite").saveAsTable("t")`; without it refused on Spark 4.3',
                "test_sql::test_an_overwrite_without_a_format_does_not_drop_a_table",
            ),
            Claim(
                "`INSERT INTO t REPLACE WHERE` and `DELETE` keep indices; `ANALYZE TABLE` after other software",
                "test_keep_indices::test_a_condition_replaces_rows_and_keeps_indices",
                "test_keep_indices::test_statistics_do_not_count_for_other_columns",
            ),
            Claim(
                '`keepIndices` is given by `.option("keepIndices", "rebuild")`, '
                "``INSERT OVERWRITE t WITH (`keepIndices` = 'rebuild') …``, "
                "`CREATE OR REPLACE TABLE t … OPTIONS (keepIndices = 'rebuild')`, `lance.write.keepIndices`, "
                "`spark.datasource.lance.keepIndices`, or `TBLPROPERTIES` of the statement",
                OVERWRITES,
            ),
            Claim(
                "`drop` names the indices: `DESCRIBE HISTORY` has `droppedIndices` in `operationParameters`, the "
                "transaction `sparklance.parameter.droppedIndices`, the procedure `commit` returns them; a warning",
                OVERWRITES,
                "test_keep_indices::test_an_overwrite_that_is_committed_later_names_its_indices",
                "test_keep_indices::test_internal_indices_are_not_named",
                "CommitRacesSuite: an overwrite names all indices that it drops, also those that were made while it",
                "ReplacedIndicesSuite: dropped indices are named by one line of the log",
            ),
            Claim(
                "`rebuild` keeps names, types and settings such as `zone_size`; refuses what it cannot build",
                "test_keep_indices::test_pylance_answers_with_indices_that_were_built_again",
                "test_keep_indices::test_rows_are_replaced_after_a_column_was_dropped",
                REFUSED,
                "test_keep_indices::test_an_index_of_other_software_refuses_the_write",
                "ReplacedIndicesSuite: an index whose settings cannot be read refuses the write",
            ),
            Claim(
                "without rows an index covers nothing; `optimize_indices` or `optimizeIndices` adds later ones",
                "test_keep_indices::test_an_index_without_rows_finds_later_ones",
            ),
            Claim(
                "a failed build is `LANCE_INDICES_MISSING`; a batch that `txnAppId` repeats builds nothing",
                "ReplacedIndicesSuite: a build that fails leaves the rows committed, and tells the statements that",
                "ReplacedIndicesSuite: a batch that is repeated builds nothing",
            ),
            Claim(
                "others may commit meanwhile",
                "ReplacedIndicesSuite: indices are built on what others have committed since the rows were replaced",
                "ReplacedIndicesSuite: an index that others make before the commit is built again, and one that they",
                "ReplacedIndicesSuite: an index that others make after the commit stays as they made it",
                "ReplacedIndicesSuite: an index whose column others drop is missing afterwards, which is an error",
                "ReplacedIndicesSuite: another overwrite after the commit gets the indices, too",
            ),
            Claim(
                "in mode `complete` each epoch builds; not with `uncommitted`",
                "ReplacedIndicesSuite: in mode complete each epoch builds the indices again, or drops them",
                "test_keep_indices::test_an_overwrite_that_is_committed_later_names_its_indices",
            ),
        ],
        rows={
            "the rows": (OVERWRITES, *REMEMBERED),
            "the table": (OVERWRITES, *REMEMBERED),
            "columns, with comments, defaults and encodings": REMEMBERED,
            "NOT NULL and the [primary key](sql.md#primary-keys)": REMEMBERED,
            "comment and properties of the table, `lance.write.…` included": REMEMBERED,
            "config: `lance.auto_cleanup.…`, `lance.compaction.…`, keys of other software, batches written so far": (
                *REMEMBERED,
                BATCHES,
            ),
            "statistics of [`ANALYZE TABLE`](statistics.md#statistics-for-sparks-optimizer)": (
                *REMEMBERED,
                "test_keep_indices::test_statistics_do_not_count_for_other_columns",
            ),
            "[indices](indices.md)": (OVERWRITES,),
            "tags, branches, older versions": REMEMBERED,
            "stable row ids, file version": REMEMBERED,
        },
    ),
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
    "Many small tasks": Section(
        [
            Claim(
                "`advisoryPartitionSize` puts tasks together; off unless asked for",
                "RowLayoutSuite: small tasks are joined, and large ones divided",
                "RowLayoutSuite: each task makes a fragment by default",
            ),
            Claim(
                "it also sizes the tasks of `clusterColumns` and `orderColumns`, over "
                "`spark.sql.adaptive.advisoryPartitionSizeInBytes`",
                "RowLayoutSuite: small tasks are joined, and large ones divided",
            ),
            Claim(
                "and of `UPDATE` and `MERGE`: `spark.datasource.lance.advisoryPartitionSize`",
                "UpdateSuite: rows of many small tasks are put together if asked, and deletes are not shuffled",
            ),
            Claim("`optimize.compact_files()` of pylance", "test_compaction::test_we_read_what_pylance_compacts"),
        ]
    ),
    "Files for columns": Section(
        [
            Claim(
                "`columnGroups`: a file for each group, and one for all others; `update_columns` replaces small files",
                "ColumnGroupsSuite: each group has a file, and all other columns share the first",
                "test_column_files::test_pylance_reads_and_changes_groups_of_columns",
            ),
            Claim(
                "unknown and repeated names are refused, and so is a backfill",
                "test_column_files::test_groups_are_checked",
            ),
            Claim(
                "the property `lance.write.columnGroups`",
                "test_column_files::test_a_property_of_the_table_counts_for_every_write",
            ),
            Claim(
                "`column_groups` of compaction; otherwise one file for each fragment",
                "test_column_files::test_a_group_stays_apart_in_a_compaction",
            ),
        ]
    ),
    "Types of columns": Section(
        [
            Claim(
                '`df.withMetadata("v", {"arrow.fixed-size-list.size": 128})`, options and table properties',
                "test_types_of_spark::test_table_properties_and_clauses_say_what_columns_are",
                "FixedSizeListsSuite: a fixed-size list records its size in the column's metadata, and is restored",
            ),
            Claim(
                "`struct.field`, `list.item`, `map.key`, `map.value`; in metadata `item.arrow.fixed-size-list.size`",
                "test_types_of_spark::test_fixed_size_lists_anywhere",
                "FixedSizeListsSuite: lists, maps and structs hold fixed-size lists, each with a size of its own",
            ),
            Claim(
                "numbers and truth values of a column's metadata are stored as texts",
                "SchemaConverterSuite: numbers and truth values in metadata are stored as texts, and come back as "
                "they were",
            ),
            Claim(
                "a copy is like the table, except `arrow.type`",
                "FixedSizeListsSuite: floats have 16 bits if requested, and keep them",
                "SchemaConverterSuite: metadata records the stored type where Spark's does not determine it, and is "
                "not written back",
            ),
            Claim(
                "`mergeSchema`: options say what new columns are",
                "TablePropertiesSuite: columns that mergeSchema adds are what the options say",
            ),
            Claim(
                "refused: `v.arrow.fixed_size_list.size`; too late: `ALTER TABLE … SET TBLPROPERTIES`, "
                "`CREATE TABLE … LOCATION`",
                "TablePropertiesSuite: a setting of a column that exists comes too late, unless it says what "
                "the column is",
                "TablePropertiesSuite: settings of two kinds of floats are refused",
            ),
            Claim(
                "`ALTER TABLE … SET TBLPROPERTIES` makes vectors of lists",
                "VectorConversionSuite: lists of lists become lists of vectors, and fields of structs vectors",
            ),
        ],
        {
            "`arrow.fixed-size-list.size`": (
                "test_types_of_spark::test_fixed_size_lists_anywhere",
                "test_inputs::test_lists_stay_lists_until_they_are_made_vectors",
            ),
            "`arrow.float16`, `arrow.bfloat16`": ("test_types_of_spark::test_vectors_of_halves",),
            "`arrow.type`": (
                "SchemaConverterSuite: new columns, and items of vectors, have the type that their metadata ask for",
                "test_inputs::test_types_of_arrow_that_spark_lacks_are_kept",
            ),
            "`ARROW:extension:name`": (
                "SchemaConverterSuite: texts of JSON are stored as JSON, if the metadata asks for it",
                "test_types_of_spark::test_json_columns_by_a_table_property",
            ),
            "`lance-encoding:packed`": ("test_packed_writes::test_makes_packed_structs_when_asked",),
            "`lance-encoding:blob`": ("test_blob_writes::test_makes_blobs_when_asked",),
            "`lance-encoding:…`": ("test_types_of_spark::test_hints_for_encoders_are_kept_wherever_they_are",),
            "`lance-schema:…`": ("test_constraints::test_pylance_takes_our_primary_key_for_its_merges",),
        },
    ),
    "New columns": Section(
        [
            Claim(
                '`df.write.format("lance").mode("append").option("mergeSchema", "true").save(path)`',
                "MergeSchemaSuite: new columns follow the others and are null where nothing was written",
                "MergeSchemaSuite: a column of another type keeps its own, and a wider number is refused by name",
                "MergeSchemaSuite: without the option, columns that the table lacks are named with the option",
            ),
            Claim(
                "`saveAsTable`, `writeTo(…).append()`; a DEFAULT",
                "MergeSchemaSuite: by name: saveAsTable and writeTo add columns, in one version",
            ),
        ]
    ),
    "Metrics and job names": Section(
        [
            Claim(
                "`constant`, `dictionary`, `bitPacked`, `run`, `symbol`, `compressed`, `packedStruct`, `plain`",
                "WriteMetricsSuite: a write reports its numbers of pages by encoding",
                "WriteMetricsSuite: a write reports its rows, bytes, files and commit attempts, and the output of",
            ),
            Claim(
                "`runtPages`: cut short by a lack of `writeBufferBytes`, or by a small `pageBytes`",
                "WidePagesSuite: values that waited in a temporary file are as if they had not",
            ),
            Claim(
                "jobs: `lance /data/flights version 3, append`, unless `setJobDescription` has set one",
                "JobDescriptionSuite: writes describe their operation, table and version",
                "JobDescriptionSuite: a write that fails leaves no description behind, and that of the user stays",
                "JobDescriptionSuite: a scan shows its version in the plan",
            ),
            Claim(
                "the SQL tab: `LanceDataset.update at job.py:12`",
                "test_statements::test_spark_s_ui_shows_the_method_and_the_user_s_line",
            ),
        ]
    ),
    "Notes on a commit": Section(
        [
            Claim(
                '`commit.`: `option("commit.job", "nightly")` as `job`, `option("commit.message", "…")`, '
                "`LanceDataset.read_transaction`",
                "test_commits::test_a_transaction_keeps_notes_message_and_batch",
            ),
            Claim("`sparklance.` is refused", "test_history::test_a_note_with_a_name_of_ours_is_refused"),
        ]
    ),
    "Batches that are written once": Section(
        [
            Claim("`txnAppId` and `txnVersion`", BATCHES),
            Claim("a batch is forgotten with its versions", HERE + "test_a_batch_is_forgotten_with_its_version"),
        ]
    ),
    "Streams": Section(
        [
            Claim(
                '`df.writeStream.format("lance").start(path)` and `.toTable(name)`, which makes the table: `toTable`; '
                "no `txnAppId`, `txnVersion`; `commits` of the checkpoint",
                "StreamsSuite: each epoch is a version, and one that is run again is in the table once",
                "StreamsSuite: a stream writes to a table with a name; in mode complete each epoch replaces all rows",
                "StreamsSuite: rows that do not fit the table are refused before any is written",
                "StreamsSuite: columns that a stream lacks are null, unless they cannot be, or have a DEFAULT",
            ),
            Claim(
                "`sparklance.batch.<query id>` in the config keeps the last epoch",
                "StreamsSuite: an epoch whose version was cleaned up is not written again",
            ),
            Claim(
                "`mergeKeys` for mode update",
                "UpsertStreamsSuite: aggregates in output mode update are merged by several keys, also in a table "
                "with a name",
            ),
            Claim(
                "a checkpoint that is behind, and another one for a query with a `queryName`",
                "StreamsSuite: a checkpoint that lost its epochs is refused, not taken for one that is ahead",
                "StreamsSuite: a query with a name is refused without its checkpoint, until the table forgets it",
            ),
        ]
    ),
}


def test_each_claim_has_a_test() -> None:
    assert problems("options.md", REGISTER) == []
    assert missing_tests(REGISTER) == []


@pytest.fixture
def name(spark: SparkSession) -> Iterator[str]:
    name = f"o_{uuid4().hex[:8]}"
    yield name
    spark.sql(f"UNCACHE TABLE IF EXISTS {name}")
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def made(spark: SparkSession, name: str, path: str) -> None:
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING lance LOCATION '{path}'")
    spark.sql(f"INSERT INTO {name} SELECT id FROM range(3)")


def others_append(path: str) -> None:
    lance.write_dataset(pa.table({"id": pa.array([100], pa.int64())}), path, mode="append")


def count(spark: SparkSession, table: str) -> int:
    return spark.sql(f"SELECT * FROM {table}").count()


@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_batch_size(spark: SparkSession, tmp: str, size: int) -> None:
    spark.range(10).write.format("lance").save(f"{tmp}/t")
    rows = spark.read.format("lance").option("batchSize", size).load(f"{tmp}/t").collect()
    assert sorted(row.id for row in rows) == list(range(10))


def test_a_select_takes_reading_options(spark: SparkSession, name: str, tmp: str) -> None:
    made(spark, name, f"{tmp}/t")
    assert spark.sql(f"SELECT * FROM {name} WITH (`batchSize` = '2')").count() == 3
    with pytest.raises(Exception, match="batchSize"):
        spark.sql(f"SELECT * FROM {name} WITH (`batchSizes` = '2')").collect()


def test_a_statement_wins_over_the_session(spark: SparkSession, tmp: str) -> None:
    spark.conf.set("spark.datasource.lance.dataStorageVersion", "2.1")
    try:
        spark.range(1).write.format("lance").save(f"{tmp}/session")
        spark.range(1).write.format("lance").option("DATASTORAGEVERSION", "2.0").save(f"{tmp}/own")
    finally:
        spark.conf.unset("spark.datasource.lance.dataStorageVersion")
    assert lance.dataset(f"{tmp}/session").data_storage_version == "2.1"
    assert lance.dataset(f"{tmp}/own").data_storage_version == "2.0"


def test_rows_of_a_file(spark: SparkSession, tmp: str) -> None:
    spark.range(10).coalesce(1).write.format("lance").option("maxRowsPerFile", 4).save(f"{tmp}/t")
    assert [f.count_rows() for f in lance.dataset(f"{tmp}/t").get_fragments()] == [4, 4, 2]


@pytest.mark.parametrize("stable", [True, False])
def test_a_replaced_table_keeps_its_row_ids(spark: SparkSession, tmp: str, stable: bool) -> None:
    first = spark.range(3).write.format("lance").option("enableStableRowIds", stable)
    first.save(f"{tmp}/t")
    spark.range(3).write.format("lance").mode("overwrite").save(f"{tmp}/t")
    assert lance.dataset(f"{tmp}/t").has_stable_row_ids == stable
    if not stable:
        with pytest.raises(Exception, match="created without stable row ids"):
            first.option("enableStableRowIds", True).mode("overwrite").save(f"{tmp}/t")


@pytest.mark.classic("it counts the partitions of an RDD")
def test_splits_follow_the_settings_for_files(spark: SparkSession, tmp: str) -> None:
    spark.range(1000).coalesce(1).write.format("lance").save(f"{tmp}/t")
    for setting, value, splits in (
        ("spark.sql.files.minPartitionNum", "1", 1),
        ("spark.sql.files.minPartitionNum", "5", 5),
    ):
        spark.conf.set(setting, value)
        spark.conf.set("spark.sql.files.openCostInBytes", "1")
        try:
            assert spark.read.format("lance").load(f"{tmp}/t").rdd.getNumPartitions() == splits
        finally:
            spark.conf.unset(setting)
            spark.conf.unset("spark.sql.files.openCostInBytes")


def test_an_option_as_a_property(spark: SparkSession, name: str, tmp: str) -> None:
    place = f"USING lance LOCATION '{tmp}/t'"
    spark.sql(f"CREATE TABLE {name} (id BIGINT) {place} TBLPROPERTIES ('lance.write.maxRowsPerFile' = '2')")
    rows = spark.range(4).coalesce(1)
    rows.writeTo(name).append()
    rows.writeTo(name).option("maxRowsPerFile", 3).append()
    assert [f.count_rows() for f in lance.dataset(f"{tmp}/t").get_fragments()] == [2, 2, 3, 1]
    for option in ("txnAppId", "txnVersion", "uncommitted", "branch", "columns", "columnsOn"):
        with pytest.raises(Exception, match=option):
            spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('lance.write.{option}' = '1')")


def test_a_cached_table(spark: SparkSession, name: str, tmp: str) -> None:
    path, pinned = f"{tmp}/t", not pyspark_version.startswith("4.0")
    made(spark, name, path)
    spark.sql(f"CACHE TABLE {name}")
    others_append(path)
    assert spark.sql(f"SELECT * FROM {name} VERSION AS OF 3").count() == 4
    assert spark.read.format("lance").load(path).count() == 4
    if pyspark_version.startswith(("4.0", "4.3")):
        assert count(spark, name) == (3 if pinned else 4)
    spark.sql(f"REFRESH TABLE {name}")
    assert count(spark, name) == 4
    others_append(path)
    spark.sql(f"INSERT INTO {name} VALUES (7)")
    assert count(spark, name) == 6
    spark.range(1).write.format("lance").mode("append").save(path)
    assert count(spark, name) == 7
    spark.sql(f"UNCACHE TABLE {name}")
    assert count(spark, name) == 7


def test_a_cached_frame(spark: SparkSession, name: str, tmp: str) -> None:
    path, pinned = f"{tmp}/t", not pyspark_version.startswith("4.0")
    made(spark, name, path)
    frame = spark.table(name).cache()
    assert frame.count() == 3
    others_append(path)
    assert frame.count() == 3
    if pyspark_version.startswith(("4.0", "4.3")):
        assert count(spark, name) == (3 if pinned else 4)
    frame.unpersist(blocking=True)
    assert count(spark, name) == 4


def test_a_batch_is_forgotten_with_its_version(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    spark.range(1).write.format("lance").save(path)
    batch = spark.range(1).write.format("lance").mode("append").option("txnAppId", "job").option("txnVersion", 1)
    for _ in range(2):
        batch.save(path)
    assert lance.dataset(path).count_rows() == 2
    spark.range(1).write.format("lance").mode("append").save(path)
    spark.sql(f"CALL lance.system.cleanup('{path}', retain_versions => 1)").collect()
    batch.save(path)
    assert lance.dataset(path).count_rows() == 4
