package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.{Dataset, History}

private[sparklance] object ReadTransaction
    extends LanceProcedure(
      "read_transaction",
      "Shows the transaction of a version of a table; no row if it is not known."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version)
  val result: StructType = TransactionRow.columns

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset: Dataset = arguments.dataset
    new History(dataset).transactionOf(dataset.version).iterator.map(TransactionRow(_))
  }
}
