package io.sparklance.dataset.schemachange

import io.sparklance.schema.{Field, LogicalType}

/** A change of a table's columns. Fields are identified by their ids, which they keep. */
sealed private[sparklance] trait ColumnChange

private[sparklance] object ColumnChange {

  /** @param parent
    *   the struct that gets the field; None for a column of the table
    * @param field
    *   the new field; it and its descendants have no ids yet
    */
  final case class Add(parent: Option[Int], field: Field, place: Place) extends ColumnChange

  final case class Drop(field: Int) extends ColumnChange
  final case class Rename(field: Int, name: String) extends ColumnChange
  final case class AllowNulls(field: Int) extends ColumnChange

  /** Makes a field NOT NULL. The caller has checked its values. */
  final case class ForbidNulls(field: Int) extends ColumnChange

  /** Sets keys of the metadata, or removes those without a value. */
  final case class Describe(field: Int, entries: Map[String, Option[String]]) extends ColumnChange

  final case class Move(field: Int, place: Place) extends ColumnChange

  /** Replaces the field by a new one of another type, without fields inside; its values are rewritten. */
  final case class Retype(field: Int, logicalType: LogicalType) extends ColumnChange
}

/** Position of a field among its siblings. */
sealed private[sparklance] trait Place

private[sparklance] object Place {
  case object First extends Place
  case object Last extends Place

  /** @param field id of the preceding field */
  final case class After(field: Int) extends Place
}
