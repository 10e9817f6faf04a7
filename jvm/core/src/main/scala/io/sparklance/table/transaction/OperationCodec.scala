package io.sparklance.table.transaction

import io.sparklance.ProtoBytes
import io.sparklance.proto.transaction.Transaction.{Operation => Wire}
import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.Fragment

/** Transactions and operations as messages. */
object OperationCodec {

  def encode(transaction: Transaction): txn.Transaction = txn.Transaction(
    readVersion = transaction.readVersion,
    uuid = transaction.uuid,
    tag = transaction.tag,
    transactionProperties = transaction.properties,
    operation = encode(transaction.operation)
  )

  def decode(message: txn.Transaction): Transaction = Transaction(
    message.readVersion,
    message.uuid,
    decode(message.operation),
    message.tag,
    message.transactionProperties
  )

  /** @param what names the bytes in an error */
  def decode(bytes: Array[Byte], what: String): Transaction =
    decode(ProtoBytes.parse(txn.Transaction, bytes, what))

  private def encode(operation: Operation): Wire = operation match {
    case append: Operation.Append =>
      Wire.Append(txn.Transaction.Append(append.fragments.map(_.message)))
    case overwrite: Operation.Overwrite =>
      Wire.Overwrite(
        txn.Transaction.Overwrite(
          overwrite.fragments.map(_.message),
          overwrite.fields,
          overwrite.schemaMetadata,
          overwrite.configUpserts,
          overwrite.initialBases
        )
      )
    case Operation.Other(name) => throw new IllegalArgumentException(s"$name is not ours to write")
  }

  private def decode(operation: Wire): Operation = operation match {
    case Wire.Append(append) => Operation.Append(append.fragments.map(Fragment(_)).toVector)
    case Wire.Overwrite(overwrite) => decode(overwrite)
    case Wire.Delete(_) => Operation.Other("Delete")
    case Wire.CreateIndex(_) => Operation.Other("CreateIndex")
    case Wire.Rewrite(_) => Operation.Other("Rewrite")
    case Wire.Merge(_) => Operation.Other("Merge")
    case Wire.Restore(_) => Operation.Other("Restore")
    case Wire.ReserveFragments(_) => Operation.Other("ReserveFragments")
    case Wire.Update(_) => Operation.Other("Update")
    case Wire.Project(_) => Operation.Other("Project")
    case Wire.UpdateConfig(_) => Operation.Other("UpdateConfig")
    case Wire.DataReplacement(_) => Operation.Other("DataReplacement")
    case Wire.UpdateMemWalState(_) => Operation.Other("UpdateMemWalState")
    case Wire.Clone(_) => Operation.Other("Clone")
    case Wire.UpdateBases(_) => Operation.Other("UpdateBases")
    case Wire.DataOverlay(_) => Operation.Other("DataOverlay")
    case Wire.Empty => Operation.Other("unknown operation")
  }

  private def decode(overwrite: txn.Transaction.Overwrite): Operation = {
    val fragments = overwrite.fragments.map(Fragment(_)).toVector
    Operation.Overwrite(
      fragments,
      overwrite.schema.toVector,
      overwrite.schemaMetadata,
      overwrite.configUpsertValues,
      overwrite.initialBases.toVector,
      fragments.flatMap(_.files).headOption.flatMap(_.version)
    )
  }
}
