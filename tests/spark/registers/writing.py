"""Claims of docs/writing.md."""

from tests.spark.claims import Claim, Section
from tests.spark.registers import BATCHES, HERE, LISTED
from tests.spark.registers.options import WRITING

#: Options with a row of their own.
FILES = (
    "`dataStorageVersion`",
    "`enableStableRowIds`",
    "`writeBufferBytes`",
    "`pageBytes`",
    "`clusterColumns`",
    "`orderColumns`",
    "`compression`",
)

REGISTER: dict[str, Section] = {
    "Writing": Section([Claim("options of writes", LISTED)]),
    "Files and pages": Section(rows={name: WRITING[name] for name in FILES}),
    "Writes without a commit": Section(
        [
            Claim(
                "`uncommitted`; `CALL lance.system.uncommitted_transaction`, `commit`, `write_fragments`",
                "test_dataset::test_writing_without_a_commit",
            ),
        ]
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
            Claim("compaction combines small fragments", "test_compaction::test_we_read_what_pylance_compacts"),
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
        ],
        {
            "only the rows have": (
                "MergeSchemaSuite: new columns follow the others and are null where nothing was written",
            ),
            "only the table has": ("MergeSchemaSuite: by name: saveAsTable and writeTo add columns, in one version",),
            "with another type": (
                "MergeSchemaSuite: a column of another type keeps its own, and a wider number is refused by name",
            ),
        },
    ),
    "Batches that are written once": Section(
        [
            Claim("`txnAppId` and `txnVersion`, from `0` on", BATCHES, "BatchesSuite: a batch has a name and a number"),
            Claim("a batch is forgotten with its versions", HERE + "test_a_batch_is_forgotten_with_its_version"),
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
}
