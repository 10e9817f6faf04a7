package io.sparklance.table.transaction

import io.sparklance.ProtoBytes
import io.sparklance.proto.transaction.Transaction.{Operation => Wire}
import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.Fragment

/** Transactions and operations as messages. */
private[sparklance] object OperationCodec {

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
    case Operation.Delete(message, _) => Wire.Delete(message)
    case overwrite: Operation.Overwrite => encode(overwrite)
    case Operation.CreateIndex(message) => Wire.CreateIndex(message)
    case Operation.Rewrite(message) => Wire.Rewrite(message)
    case Operation.Merge(message, _) => Wire.Merge(message)
    case Operation.Restore(version) => Wire.Restore(txn.Transaction.Restore(version))
    case Operation.ReserveFragments(count) =>
      Wire.ReserveFragments(txn.Transaction.ReserveFragments(count))
    case Operation.Update(message, _, _) => Wire.Update(message)
    case Operation.Project(message) => Wire.Project(message)
    case Operation.UpdateConfig(message, _) => Wire.UpdateConfig(message)
    case Operation.DataReplacement(message) => Wire.DataReplacement(message)
    case Operation.Clone(message) => Wire.Clone(message)
    case Operation.UpdateBases(message) => Wire.UpdateBases(message)
    case Operation.Other(name) => throw new IllegalArgumentException(s"$name is not ours to write")
  }

  private def encode(overwrite: Operation.Overwrite): Wire = Wire.Overwrite(
    txn.Transaction.Overwrite(
      overwrite.fragments.map(_.message),
      overwrite.fields,
      overwrite.schemaMetadata,
      overwrite.configUpserts,
      overwrite.initialBases
    )
  )

  private def decode(operation: Wire): Operation = operation match {
    case Wire.Append(append) => Operation.Append(append.fragments.map(Fragment(_)).toVector)
    case Wire.Delete(message) => Operation.Delete(message)
    case Wire.Overwrite(overwrite) => decode(overwrite)
    case Wire.CreateIndex(message) => Operation.CreateIndex(message)
    case Wire.Rewrite(message) => Operation.Rewrite(message)
    case Wire.Merge(message) => Operation.Merge(message)
    case Wire.Restore(restore) => Operation.Restore(restore.version)
    case Wire.ReserveFragments(reserve) => Operation.ReserveFragments(reserve.numFragments)
    case Wire.Update(message) => Operation.Update(message)
    case Wire.Project(message) => Operation.Project(message)
    case Wire.UpdateConfig(message) => Operation.UpdateConfig(message)
    case Wire.DataReplacement(message) => Operation.DataReplacement(message)
    case Wire.Clone(message) => Operation.Clone(message)
    case Wire.UpdateBases(message) => Operation.UpdateBases(message)
    case Wire.UpdateMemWalState(_) => Operation.Other("UpdateMemWalState")
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
