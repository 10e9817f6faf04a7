package io.sparklance.table.transaction

import io.sparklance.proto.transaction.Transaction.{UpdateMap, UpdateMapEntry}

/** What becomes of keys and their values. */
sealed trait KeyChanges {
  private[transaction] def message: UpdateMap
}

object KeyChanges {

  /** Sets keys, or removes those without a value; all others stay. */
  final case class Merging(entries: Map[String, Option[String]]) extends KeyChanges {
    private[transaction] def message: UpdateMap =
      UpdateMap(entries.map { case (key, value) => UpdateMapEntry(key, value) }.toVector)
  }

  /** Leaves these keys only. */
  final case class Replacing(entries: Map[String, String]) extends KeyChanges {
    private[transaction] def message: UpdateMap = UpdateMap(
      entries.map { case (key, value) => UpdateMapEntry(key, Some(value)) }.toVector,
      replace = true
    )
  }
}
