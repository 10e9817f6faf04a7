package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceTableNotFoundException
import io.sparklance.table.commit.TransactionFiles

private[sparklance] object UncommittedTransaction
    extends LanceProcedure(
      "uncommitted_transaction",
      "Shows the transaction that a write with option `uncommitted` has left."
    ) {
  private val uuid = Parameter.text("uuid")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, uuid)
  val result: StructType = TransactionRow.columns

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val (location, wanted) = (arguments.location, arguments(uuid))
    val found = new TransactionFiles(location.store, location.root).find(wanted).getOrElse(
      throw new LanceTableNotFoundException(
        s"There is no transaction $wanted at ${location.root}: nothing was written with option 'uncommitted' = '$wanted', " +
          "or it was cleaned up."
      )
    )
    Iterator(TransactionRow(found))
  }
}
