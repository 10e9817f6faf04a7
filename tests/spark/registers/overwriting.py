"""Claims of docs/overwriting.md."""

from tests.spark.claims import Claim, Section
from tests.spark.registers import BATCHES, OVERWRITES

REMEMBERED = ("test_keep_indices::test_what_a_table_remembers",)
REFUSED = "test_keep_indices::test_indices_that_cannot_be_built_again_refuse_the_write"

REGISTER: dict[str, Section] = {
    "Overwriting a table": Section(
        [
            Claim(
                '`df.write.format("lance").mode("overwrite").saveAsTable("t")`; without it refused on Spark 4.3',
                "test_sql::test_an_overwrite_without_a_format_does_not_drop_a_table",
            ),
        ],
        rows={
            "the rows": (OVERWRITES, *REMEMBERED),
            "the table": (OVERWRITES, *REMEMBERED),
        },
    ),
    "What stays": Section(
        [
            Claim(
                "the procedure `enable_stable_row_ids`; replacing a table does not",
                "test_claims_of_options::test_a_replaced_table_keeps_its_row_ids",
            ),
            Claim(
                '`INSERT INTO t REPLACE WHERE condition` and `df.writeTo("t").overwrite(condition)` take rows that '
                "satisfy it; `replaceWhere` is refused",
                "OverwriteByFilterSuite: rows that do not satisfy the condition are refused, and so is Delta's option; "
                "nothing is committed",
            ),
            Claim(
                "`INSERT INTO t REPLACE WHERE` and `DELETE` keep indices; `ANALYZE TABLE` after other software",
                "test_keep_indices::test_a_condition_replaces_rows_and_keeps_indices",
                "test_keep_indices::test_statistics_do_not_count_for_other_columns",
            ),
        ],
        rows={
            "columns, with comments, defaults and encodings": REMEMBERED,
            "NOT NULL and the [primary key](table-properties.md#primary-keys)": REMEMBERED,
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
    "Indices": Section(
        [
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
        ]
    ),
}
