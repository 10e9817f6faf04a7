package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.history.{Recorded, Statement}
import io.sparklance.spark.index.ReplacedIndices
import io.sparklance.table.RowIdentity
import io.sparklance.table.transaction.{Operation, OperationCodec, Transaction}

private[sparklance] object CommitTransaction
    extends LanceProcedure(
      "commit",
      "Commits a transaction, given as the format's message, and shows the version that it made."
    ) {
  private val transaction = Parameter.bytes("transaction")
  private val stableRowIds = Parameter.flag("enable_stable_row_ids")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, transaction, stableRowIds)
  val result: StructType =
    StructType.fromDDL("version BIGINT NOT NULL, dropped_indices ARRAY<STRING> NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
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
}
