"""Claims of docs/streaming-writes.md."""

from tests.spark.claims import Claim, Section

REGISTER: dict[str, Section] = {
    "Writing streams": Section(
        [
            Claim(
                '`df.writeStream.format("lance").start(path)` and `.toTable(name)`; with `mergeKeys` mode update',
                "StreamsSuite: each epoch is a version, and one that is run again is in the table once",
                "UpsertStreamsSuite: aggregates in output mode update are merged by several keys, also in a table "
                "with a name",
            ),
        ]
    ),
    "Each epoch once": Section(
        [
            Claim(
                "`toTable` makes the table; no `txnAppId`, `txnVersion`; `commits` of the checkpoint",
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
                "a checkpoint that is behind, and another one for a query with a `queryName`",
                "StreamsSuite: a checkpoint that lost its epochs is refused, not taken for one that is ahead",
                "StreamsSuite: a query with a name is refused without its checkpoint, until the table forgets it",
            ),
            Claim(
                "`compactEvery` compacts beside the query",
                "UpsertStreamsSuite: the table is compacted every few epochs, and no epoch is lost to that",
            ),
        ]
    ),
    "Merging by keys": Section(
        [
            Claim(
                "`mergeKeys`, as `a, b`: rows keep stable ids",
                "UpsertStreamsSuite: replaced rows keep their stable ids, which the change feed shows as updates",
                "UpsertStreamsSuite: more keys than a filter may have are merged, too",
                "UpsertStreamsSuite: an epoch whose keys others insert before its commit is merged again, at most ten",
            ),
            Claim(
                "null and repeated keys are refused; `groupBy(key).agg(max_by(…))` avoids them",
                "UpsertStreamsSuite: null and repeated keys are refused, and the query goes on without them",
            ),
        ]
    ),
    "Merging with deletes": Section(
        [Claim("`foreachBatch` merges a batch of the change feed", "test_pages::test_a_page_runs_as_printed")]
    ),
}
