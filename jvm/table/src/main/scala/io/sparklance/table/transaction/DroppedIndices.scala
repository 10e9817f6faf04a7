package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.IndexKinds

/** Indices that an overwrite drops, by their names. The history of the table names them. */
private[sparklance] object DroppedIndices {

  /** Property of the transaction that lists the names. */
  val Property = "sparklance.parameter.droppedIndices"

  /** Returns the names of the indices that the operation drops from a version, without internal ones. */
  def by(operation: Operation, latest: TableState): Vector[String] = operation match {
    case _: Operation.Overwrite => names(latest.indexSection)
    case _: Operation.Append | _: Operation.Delete | _: Operation.CreateIndex | _: Operation.Rewrite |
        _: Operation.Merge | _: Operation.Restore | _: Operation.ReserveFragments | _: Operation.Update |
        _: Operation.Project | _: Operation.UpdateConfig | _: Operation.DataReplacement |
        _: Operation.Clone | _: Operation.UpdateBases | _: Operation.Other =>
      Vector.empty
  }

  def recorded(transaction: Transaction, dropped: Vector[String]): Transaction =
    if (dropped.isEmpty) transaction
    else transaction.copy(properties = transaction.properties + (Property -> dropped.mkString(", ")))

  private def names(section: Option[ByteString]): Vector[String] =
    section.fold(Vector.empty[String]) { bytes =>
      ProtoBytes.parse(pb.IndexSection, bytes.toByteArray, "the index section").indices
        .map(_.name).filterNot(IndexKinds.isSystem).distinct.sorted.toVector
    }
}
