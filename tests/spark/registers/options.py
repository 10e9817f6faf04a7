"""Claims of docs/options.md."""

from tests.spark.claims import Claim, Section
from tests.spark.registers import BATCHES, HERE, LISTED, OVERWRITES

COLUMNS = "ColumnsSuite: columns get other values, in all rows or in some, and others stay as they are"

READING: dict[str, tuple[str, ...]] = {
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
    "`localResultBytes`": (
        "LocalResultsSuite: vector searches: exact, by an index, with filters, orders, limits and offsets",
        "LocalResultsSuite: rows that turn out to be too many are read by a job",
    ),
    "`brokenIndices`": ("test_scalar_indices::test_damaged_files",),
    "`lossyValues`": ("test_lossy::test_truncates_if_asked_to", "test_lossy::test_shows_what_is_stored_if_asked_to"),
    "`blobHandling`": (
        "test_blobs::test_reads_descriptors_and_bytes",
        "test_blobs::test_reads_external_blobs",
        "test_blob_writes::test_descriptors_are_no_blobs_and_copies_name_the_setting",
    ),
}

CHANGES: dict[str, tuple[str, ...]] = {
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
}

WRITING: dict[str, tuple[str, ...]] = {
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
    "`updateMode`": (
        "ColumnUpdateSuite: only the assigned column is written, for the fragments with a change, and rows stay",
        "ColumnUpdateSuite: what cannot be written in place is refused by name",
        "test_column_updates::test_each_fragment_goes_the_cheaper_way",
    ),
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
}

BOTH: dict[str, tuple[str, ...]] = {
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
                "options such as `fs.s3a.endpoint` are settings of one table",
                "test_s3::test_settings_of_one_table",
                "test_s3::test_settings_of_a_catalog",
            ),
            Claim(
                "`lance.write.<option>` for all writes to a table, as "
                "`TBLPROPERTIES ('lance.write.orderColumns' = 'day, id')`; "
                "not `txnAppId`, `txnVersion`, `uncommitted`, `branch`, `columns…`",
                HERE + "test_an_option_as_a_property",
            ),
            Claim(
                "`<column>.<key>` sets the type of a column",
                "test_types_of_spark::test_table_properties_and_clauses_say_what_columns_are",
            ),
            Claim("`commit.<name>` is a note", "test_commits::test_a_transaction_keeps_notes_message_and_batch"),
            Claim(
                "table properties are refused: unknown ones of `lance.`, those of `sparklance.`, "
                "and lance-spark's `batch_size`, `build_mode`, but not its `file_format_version`, "
                "and options without their prefix, such as `maxRowsPerFile`",
                "TablePropertiesSuite: names of the reference connector without a meaning here, and of jobs, are",
                "TablePropertiesSuite: names of the reference connector stand for ours, in properties and options",
                "TablePropertiesSuite: options for new tables among the properties count without AS SELECT, and "
                "OPTIONS win",
            ),
        ],
    ),
    "Reading": Section([Claim("a table of options", LISTED)], READING),
    "Reading changes and streams": Section([Claim("a table of options", LISTED)], CHANGES),
    "Writing": Section([Claim("a table of options", LISTED)], WRITING),
    "Reading and writing": Section(rows=BOTH),
    "Moved sections": Section([Claim("old addresses lead on", HERE + "test_old_addresses_lead_on")]),
}
