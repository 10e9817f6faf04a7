package io.sparklance.table.transaction

import io.sparklance.proto.transaction.Transaction.{UpdateMap, UpdateMapEntry}

/** A change of keys and values. */
sealed private[sparklance] trait KeyChanges {
  private[transaction] def message: UpdateMap
}

private[sparklance] object KeyChanges {

  /** Sets keys, and removes those without a value. Keeps all others. */
  final case class Merging(entries: Map[String, Option[String]]) extends KeyChanges {
    private[transaction] def message: UpdateMap =
      UpdateMap(entries.map { case (key, value) => UpdateMapEntry(key, value) }.toVector)
  }

  /** Replaces all keys by these. */
  final case class Replacing(entries: Map[String, String]) extends KeyChanges {
    private[transaction] def message: UpdateMap = UpdateMap(
      entries.map { case (key, value) => UpdateMapEntry(key, Some(value)) }.toVector,
      replace = true
    )
  }
}
