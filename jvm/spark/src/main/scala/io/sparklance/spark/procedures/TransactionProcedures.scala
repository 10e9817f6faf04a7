package io.sparklance.spark.procedures

import io.sparklance.dataset.{Dataset, History, TableRefs}
import io.sparklance.spark.history.{Recorded, Statement}
import io.sparklance.spark.index.ReplacedIndices
import io.sparklance.table.RowIdentity
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.transaction.{Operation, OperationCodec, Transaction}
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** Procedures that commit and show transactions, as the messages of the format. */
private[procedures] object TransactionProcedures {
  private val transaction = Parameter.bytes("transaction")
  private val stableRowIds = Parameter.flag("enable_stable_row_ids")
  private val uuid = Parameter.text("uuid")

  private val shown =
    "read_version BIGINT NOT NULL, uuid STRING NOT NULL, operation STRING NOT NULL, " +
      "properties MAP<STRING, STRING> NOT NULL, transaction BINARY NOT NULL"

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure(
      "commit",
      "Commits a transaction, given as the format's message, and shows the version that it made.",
      Vector(transaction, stableRowIds),
      "version BIGINT NOT NULL, dropped_indices ARRAY<STRING> NOT NULL"
    )(commit),
    LanceProcedure(
      "read_transaction",
      "Shows the transaction of a version of a table; no row if it is not known.",
      Vector(Parameter.version),
      shown
    )(readTransaction),
    LanceProcedure(
      "uncommitted_transaction",
      "Shows the transaction that a write with option `uncommitted` has left.",
      Vector(uuid),
      shown
    )(uncommittedTransaction)
  )

  private def commit(arguments: Arguments): Iterator[Seq[Any]] = {
    val location = arguments.location
    val made = identified(OperationCodec.decode(arguments(transaction), "the transaction"), arguments)
    val (dataset, dropped) = made.operation match {
      case clone: Operation.Clone =>
        val cloned = TableRefs.commitClone(location.store, location.root, clone, recorded(made).properties)
        (cloned, Vector.empty[String])
      case _ =>
        val outcome = Dataset.commit(location.store, location.root, recorded(checked(made)))
        ReplacedIndices.warn(location, outcome.commit)
        (outcome.dataset, ReplacedIndices.droppedBy(outcome.commit))
    }
    Iterator(Seq(dataset.version, dropped))
  }

  private def identified(made: Transaction, arguments: Arguments): Transaction = made.operation match {
    case overwrite: Operation.Overwrite if arguments(stableRowIds) =>
      made.copy(operation = overwrite.copy(identity = RowIdentity.StableId))
    case _ => made
  }

  /** Adds this procedure to the transaction's properties, unless a write of ours has recorded its statement
    * already.
    */
  private def recorded(made: Transaction): Transaction =
    if (made.properties.contains(Recorded.Command)) made
    else {
      val statement = Statement("COMMIT", Map("operation" -> made.operation.name))
      made.copy(properties = statement.properties(made.operation, before = None) ++ made.properties)
    }

  private def checked(made: Transaction): Transaction = {
    val creates = made.operation match {
      case _: Operation.Overwrite => true
      case _ => false
    }
    if (made.readVersion < 0 || made.readVersion == 0 && !creates)
      throw new LanceUsageException(
        s"The ${made.operation.name} has no read version. Only an Overwrite can create a table; give " +
          "others the version that they were begun at."
      )
    if (made.uuid.isEmpty || made.uuid.exists(c => c == '/' || c == '\\'))
      throw new LanceUsageException("The transaction needs a uuid, which becomes part of a file's name.")
    made
  }

  private def readTransaction(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset: Dataset = arguments.dataset
    new History(dataset).transactionOf(dataset.version).iterator.map(row)
  }

  private def uncommittedTransaction(arguments: Arguments): Iterator[Seq[Any]] = {
    val (location, wanted) = (arguments.location, arguments(uuid))
    val found = new TransactionFiles(location.store, location.root).find(wanted).getOrElse(
      throw new LanceTableNotFoundException(
        s"There is no transaction $wanted at ${location.root}: nothing was written with option 'uncommitted' = '$wanted', " +
          "or it was cleaned up."
      )
    )
    Iterator(row(found))
  }

  /** Returns a transaction as a row, with its message. */
  private def row(transaction: Transaction): Seq[Any] = Seq(
    transaction.readVersion,
    transaction.uuid,
    transaction.operation.name,
    transaction.properties,
    OperationCodec.encode(transaction).toByteArray
  )
}
