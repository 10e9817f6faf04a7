"""Each claim of docs/sql.md and the pages that it leads to, with the test that holds it: here, or elsewhere."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession

from tests.spark.claims import Claim, Section, missing_tests, problems

HERE = "test_claims_of_sql::"
CASES = "test_sql_statements::test_the_table_and_the_cases_are_the_same"

REGISTER: dict[str, Section] = {
    "SQL": Section(
        [
            Claim(
                "`USING lance` in `spark_catalog`, and ``lance.`/data/flights.lance` `` in `lance`, without settings",
                "SessionCatalogSuite: the extension has installed both catalogs, without configuration",
                "PathCatalogSuite: a path is a table in SQL",
                "test_jar_alone::test_works_without_the_python_package",
            ),
        ]
    ),
    "Sessions": Section(
        [
            Claim(
                "the extension is found in a jar of `spark.jars`, `--jars` or `--packages`",
                "test_newcomer::test_a_program_that_knows_the_jar_only",
                "test_newcomer::test_spark_submit",
            ),
        ]
    ),
    "Where Spark loads no extension": Section(
        [
            Claim(
                "two settings do the same, but for `OPTIMIZE` and `l2(a, b)`, which is `lance.l2(a, b)` then",
                "test_hosts::test_two_settings_stand_for_the_extension",
            ),
            Claim(
                "without the extension, the option `nearest` stands for `lance_vector_search`",
                "SearchSuite: the option is for paths, and has no other keys",
            ),
            Claim(
                "without the extension, the options `fullTextQuery` and `hybridSearch` stand for `lance_fts` and "
                "`lance_hybrid_search`",
                "FullTextSuite: columns are pruned, rows counted and the search explained",
                "FullTextSuite: a hybrid search ranks the rows of both searches",
            ),
            Claim(
                "without the extension, the option `readChangeFeed` stands for `lance_table_changes`",
                "ChangesSuite: the change feed has inserts, both images of updates, and deletes",
            ),
            Claim(
                "a session catalog of others stays (`DeltaCatalog`, `SparkSessionCatalog`); ours is `lance` then",
                "OtherCatalogsSuite: another format's session catalog stays; Lance tables are in the catalog",
            ),
            Claim(
                "`spark.sql.extensions = io.delta.sql.DeltaSparkSessionExtension,"
                "io.sparklance.spark.LanceExtensions`: statements of other formats are handed on",
                "AliasParserSuite: tables of other formats are left to Spark, which knows no such statement",
            ),
        ]
    ),
    "A jar that is added to a running session": Section(
        [
            Claim(
                "`ADD JAR` and `spark.addArtifacts`: `spark.read` and `spark.write` work at once",
                "test_added_jar::test_add_jar_in_classic_spark",
                "test_added_jar::test_a_jar_from_a_connect_client",
            )
        ],
        {
            "PySpark, `local[n]` and `local-cluster`": ("test_added_jar::test_add_jar_in_classic_spark",),
            "Spark Connect, `local[n]` and `local-cluster`": ("test_added_jar::test_a_jar_from_a_connect_client",),
            "`spark-shell`": ("test_added_jar::test_the_spark_shell_needs_the_jar_when_it_starts",),
        },
        examples=frozenset({"tests/spark/test_added_jar.py"}),
    ),
    "The Thrift server and JDBC": Section(
        [
            Claim(
                "`--jars`, as `spark.jars` and `--packages`, for `beeline`, and a session that begins in a catalog: "
                "`jdbc:hive2://localhost:10000/lake`",
                "test_thrift_server::test_beeline_opens_sessions_one_after_another",
            ),
            Claim(
                "sessions that end leave the classes of the jar to others, without `--driver-class-path`",
                "test_thrift_server::test_what_a_session_does_works_after_others_have_ended",
            ),
            Claim(
                "lists of JDBC show `spark_catalog`; `SHOW NAMESPACES IN lake` and `SHOW TABLES IN lake.eu` the rest",
                "test_thrift_server::test_lists_of_jdbc_are_those_of_the_session_catalog",
            ),
        ]
    ),
    "The session catalog": Section(
        [
            Claim(
                "a column that pylance adds is there in the next statement",
                "test_sql::test_a_column_that_pylance_adds_is_seen_at_the_next_statement",
            ),
            Claim(
                "the metastore may be Hive's",
                "test_hosts::test_a_hive_metastore",
            ),
            Claim(
                "tables of other formats, views and functions are as they were",
                "SessionCatalogSuite: tables of other formats, views and functions pass through",
            ),
            Claim(
                "names of tables and columns",
                "SharedTablesSuite: names are found in any case, and stay as they were written",
                "SharedTablesSuite: columns may have any name without a dot, in backquotes",
            ),
            Claim("DELETE, UPDATE and MERGE show no rows", HERE + "test_changes_of_rows_show_no_rows"),
        ],
        whole=CASES,
        examples=frozenset({"t", "tests/spark/test_sql_statements.py"}),
    ),
    "Properties": Section(
        [
            Claim(
                "`lance.` is the table's config: `lance.auto_cleanup.…`, `lance.compaction.…`",
                "TablePropertiesSuite: properties of the format are the table's config, from CREATE on",
            ),
            Claim("`lance.write.<option>` is an option", "test_claims_of_options::test_an_option_as_a_property"),
            Claim(
                "unknown ones are refused",
                "TablePropertiesSuite: an unknown property with our prefix is refused, with the nearest known one",
            ),
        ]
    ),
    "Defaults": Section(
        [
            Claim(
                "`DEFAULT` is kept as `CURRENT_DEFAULT`, and its value is written",
                "ColumnClausesSuite: DEFAULT is kept in the column's metadata, and is the value where a statement",
                "ColumnClausesSuite: from Spark 4.1 on, columns that INSERT leaves out get their DEFAULT",
                "test_constraints::test_pylance_sees_the_values_of_defaults",
            ),
            Claim(
                "`uuid()` of other software is never run",
                "SharedTablesSuite: a default of other software that is not constant runs nothing, and is refused",
            ),
            Claim(
                "text and value have bounds, by functions: `array`, `map`, `named_struct`, `concat`, `upper`, `trim`, "
                "`replace`, `concat_ws`, `split_part`, not `sequence`, `format_string`, "
                "`substring`, `repeat`, `lpad`, `rpad`, `space`, `array_repeat`; refused by `CREATE TABLE` and "
                "`ALTER TABLE`; cured by `ALTER COLUMN … SET DEFAULT` or `DROP DEFAULT`",
                "DefaultTextSuite: functions that are known are Spark's, in some release",
                "SharedTablesSuite: a default that is too costly is refused, with the column, the default",
                "test_bad_input::test_a_default_of_others_that_would_exhaust_the_driver",
            ),
        ]
    ),
    "Primary keys": Section(
        [
            Claim(
                "pylance's `merge_insert` takes its columns",
                "test_constraints::test_pylance_takes_our_primary_key_for_its_merges",
            ),
            Claim(
                "columns of the key are NOT NULL, of plain types, by table properties",
                "ColumnClausesSuite: table properties put columns into the primary key, in their order",
                "ColumnClausesSuite: nullable columns and columns with fields cannot be in the key",
            ),
            Claim("`DESCRIBE DETAIL` shows it", HERE + "test_detail_shows_the_primary_key"),
            Claim(
                "`ALTER TABLE … SET UNENFORCED PRIMARY KEY (day, id)` sets one, once",
                "ColumnClausesSuite: a key is set once: by a procedure, too, which then cannot change it",
                "PeerStatementsSuite: SET UNENFORCED PRIMARY KEY sets a key, once, of columns that can be in one",
            ),
        ]
    ),
    "Temporary views": Section(
        [
            Claim(
                "`INSERT`, `UPDATE`, `DELETE`, `MERGE` and `df.writeTo` name a view: "
                "`CREATE TEMPORARY VIEW v AS SELECT * FROM t`, "
                "`CREATE TEMPORARY VIEW v USING lance OPTIONS (path '…')`, "
                "`createOrReplaceTempView` of `table` and `load`",
                "WrittenViewsSuite: a view of a whole table is written like the table, and shows what was written",
            ),
            Claim(
                "other views are refused",
                "WrittenViewsSuite: a view of a part of a table, or of another version, is refused with its table",
            ),
            Claim("views of other formats are left to Spark", "WrittenViewsSuite: views of other formats are Spark's"),
        ]
    ),
    "Functions": Section(
        [
            Claim(
                "`l2(a, b)` with the extension, `lance.l2(a, b)` and `lance.system.l2(a, b)` always, and with another "
                "`LanceCatalog` instead of `lance`",
                "FunctionsSuite: lance.l2, lance.dot and lance.cosine are the reference's distances",
                "FunctionsSuite: a user's function goes before ours of that name",
                "test_sql::test_functions_need_no_catalog",
            ),
            Claim(
                "`DESCRIBE FUNCTION lance.l2`",
                "AliasParserSuite: DESCRIBE FUNCTION describes ours by the name of a catalog, and others as Spark does",
            ),
        ],
        {
            **dict.fromkeys(
                ("`l2(a, b)`", "`cosine(a, b)`", "`dot(a, b)`"),
                ("FunctionsSuite: lance.l2, lance.dot and lance.cosine are the reference's distances",),
            ),
            **dict.fromkeys(
                (
                    "`row_address_fragment(address)`",
                    "`row_address_offset(address)`",
                    "`make_row_address(fragment, offset)`",
                ),
                ("FunctionsSuite: parts of row addresses",),
            ),
            "`lance_match(text, words)`, `lance_match_phrase(text, words)`": (
                "FullTextSuite: predicates compare any texts with words, in every place of a condition",
            ),
            "`lance_highlight(text, words)`": ("FullTextSuite: marks stand around words that match",),
        },
    ),
    "Table functions": Section(
        rows={
            "`lance_vector_search(table, column, query)`, also `vector_search`": (
                "SearchSuite: the nearest rows come in order, with all columns and the distance",
                "SearchSuite: arguments have names, also those of other engines",
            ),
            "`lance_vector_join(left, right, column)`": (
                "JoinSuite: each row comes with its nearest rows, their columns and distances",
            ),
            "`lance_fts(table, columns, query)`, also `search`": (
                "FullTextSuite: without an index, texts are scored as they stand",
                "FullTextSuite: arguments have names, also those of other engines",
            ),
            "`lance_hybrid_search(table, vector, text)`, also `hybrid_search`": (
                "FullTextSuite: a hybrid search ranks the rows of both searches",
            ),
            "`lance_table_changes(table, start, end)`, also `table_changes`": (
                "ChangesSuite: lance_table_changes is the change feed in SQL",
                "PeerStatementsSuite: table_changes is the change feed by Delta Lake's name",
            ),
        }
    ),
    "Metadata columns": Section(
        [
            Claim(
                "`SELECT _rowid, * FROM t`",
                "PushdownSuite: metadata columns are there when they are asked for, also of a path",
            )
        ],
        {
            "`_rowaddr`": ("test_rows::test_addresses_are_those_of_pylance",),
            "`_rowid`": ("test_rows::test_stable_row_ids_are_those_of_pylance",),
            "`_fragid`": ("SplitSuite: metadata columns show the address of a row",),
            "`_row_created_at_version`": (
                "test_rows::test_addresses_are_those_of_pylance",
                "test_tables::test_rows_get_stable_ids",
            ),
            "`_row_last_updated_at_version`": (
                "test_rows::test_addresses_are_those_of_pylance",
                "test_tables::test_rows_get_stable_ids",
            ),
        },
    ),
    "Statements of our own": Section(
        [
            Claim(
                "`t` is a name, ``lance.`/path` `` or `'/path'`; others are the next parser's; `SHOW` has singulars",
                "PeerStatementsSuite: tags and branches are named in the ways of lance-spark",
                "AliasParserSuite: DESCRIBE HISTORY and DETAIL are what the procedures show, of names and of paths",
                "AliasParserSuite: tables of other formats are left to Spark, which knows no such statement",
            )
        ],
        whole="test_sql_statements::test_statements_of_our_own_are_calls",
    ),
}


PAGES = {
    "sql.md": ("SQL", "The session catalog"),
    "sessions.md": (
        "Sessions",
        "Where Spark loads no extension",
        "A jar that is added to a running session",
        "The Thrift server and JDBC",
    ),
    "table-properties.md": ("Properties", "Defaults", "Primary keys", "Temporary views"),
    "sql-extensions.md": ("Functions", "Table functions", "Metadata columns", "Statements of our own"),
}


def test_each_claim_has_a_test() -> None:
    for page, headings in PAGES.items():
        assert problems(page, {heading: REGISTER[heading] for heading in headings}) == []
    assert {heading for headings in PAGES.values() for heading in headings} == REGISTER.keys()
    assert missing_tests(REGISTER) == []


@pytest.fixture
def name(spark: SparkSession) -> Iterator[str]:
    name = f"q_{uuid4().hex[:8]}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def test_changes_of_rows_show_no_rows(spark: SparkSession, name: str) -> None:
    """Spark gives a connector no way to return counts; history has them."""
    spark.sql(f"CREATE TABLE {name} USING lance AS SELECT id FROM range(4)")
    source = "(SELECT 2L AS id)"
    for statement in (
        f"UPDATE {name} SET id = 7 WHERE id = 1",
        f"DELETE FROM {name} WHERE id = 3",
        f"MERGE INTO {name} t USING {source} s ON t.id = s.id WHEN MATCHED THEN DELETE",
    ):
        assert spark.sql(statement).collect() == []
    operations = [row.operation for row in spark.sql(f"DESCRIBE HISTORY {name} LIMIT 3").collect()]
    assert operations == ["MERGE", "DELETE", "UPDATE"]


def test_detail_shows_the_primary_key(spark: SparkSession, name: str) -> None:
    spark.sql(
        f"CREATE TABLE {name} (day DATE NOT NULL, id BIGINT NOT NULL) USING lance TBLPROPERTIES ("
        "'day.lance-schema:unenforced-primary-key:position' = '1', "
        "'id.lance-schema:unenforced-primary-key:position' = '2')"
    )
    assert "['day', 'id']" in str(spark.sql(f"DESCRIBE DETAIL {name}").collect())
