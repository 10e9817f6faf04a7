"""Writing data files without making a version of them."""

import uuid as uuids
from typing import Any

from sparklance._paths import PathOrName, path_text
from sparklance._procedures import call
from sparklance._statements import running
from sparklance.inputs import Data, frame
from sparklance.operations import Transaction


def write_transaction(df: Data, uri: PathOrName, mode: str = "append", **options: Any) -> Transaction:
    """Writes rows as files of a table, in Spark's tasks, and returns the transaction that would add them.

    Rows that are no DataFrame, such as Arrow's or those of pandas, are written by the active session.

    Nobody sees the rows until the transaction is committed with `LanceDataset.commit`, from any process. The mode is
    `append`, or `overwrite` for rows that are to replace the table; where there is none, the transaction makes it.
    Options are those of any write. Files of transactions that are never committed stay until the table is cleaned up.
    """
    path, uuid = path_text(uri), str(uuids.uuid4())
    rows = frame(None, df)
    with running(rows.sparkSession):
        rows.write.format("lance").mode(mode).options(uncommitted=uuid, **options).save(path)
    (row,) = call(rows.sparkSession, "uncommitted_transaction", table=path, uuid=uuid)
    return Transaction.from_bytes(bytes(row.transaction))


def write_fragments(df: Data, uri: PathOrName, mode: str = "append", **options: Any) -> list[Any]:
    """The same, but returns the fragments, for the operation that they are meant for.

    >>> fragments = write_fragments(spark.range(100, 105), path)
    >>> ds = LanceDataset(spark, path)
    >>> ds = LanceDataset.commit(spark, path, LanceOperation.Append(fragments), read_version=ds.version)
    >>> ds.count_rows("id >= 100")
    5
    """
    message: Any = write_transaction(df, uri, mode, **options).operation.message
    return list(message.fragments)
