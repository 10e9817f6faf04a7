package io.sparklance.dataset.schemachange

import io.sparklance.schema.{Field, LogicalType}

/** A change of a table's columns. Fields are told by their numbers, which they keep. */
sealed trait ColumnChange

object ColumnChange {

  /** @param parent the struct that gets the field; none for a column of the table
    * @param field and what is in it, none of which has a number yet
    */
  final case class Add(parent: Option[Int], field: Field, place: Place) extends ColumnChange

  final case class Drop(field: Int) extends ColumnChange
  final case class Rename(field: Int, name: String) extends ColumnChange
  final case class AllowNulls(field: Int) extends ColumnChange

  /** The values must have been looked at. */
  final case class ForbidNulls(field: Int) extends ColumnChange

  /** Sets keys of the metadata, or removes those without a value. */
  final case class Describe(field: Int, entries: Map[String, Option[String]]) extends ColumnChange

  final case class Move(field: Int, place: Place) extends ColumnChange

  /** The field becomes another one, of that type: its values are written anew. */
  final case class Retype(field: Int, logicalType: LogicalType) extends ColumnChange
}

/** Where a field stands among those beside it. */
sealed trait Place

object Place {
  case object First extends Place
  case object Last extends Place

  /** @param field the one before */
  final case class After(field: Int) extends Place
}
