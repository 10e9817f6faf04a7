package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.transaction.{OperationCodec, Transaction}

/** A transaction as a row, with its message. */
private[procedures] object TransactionRow {
  val columns: StructType = StructType.fromDDL(
    "read_version BIGINT NOT NULL, uuid STRING NOT NULL, operation STRING NOT NULL, " +
      "properties MAP<STRING, STRING> NOT NULL, transaction BINARY NOT NULL"
  )

  def apply(transaction: Transaction): Seq[Any] = Seq(
    transaction.readVersion,
    transaction.uuid,
    transaction.operation.name,
    transaction.properties,
    OperationCodec.encode(transaction).toByteArray
  )
}
