package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.history.Statement
import io.sparklance.table.transaction.KeyChanges

/** Shared parts of procedures that change keys and values. NULL removes a key; with `replace`, absent keys
  * are removed, too. They return the resulting keys and values.
  */
private[procedures] object KeysAndValues {
  val values: Parameter[Map[String, Option[String]]] = Parameter.entries("values")
  val replace: Parameter[Boolean] = Parameter.flag("replace")
  val result: StructType = StructType.fromDDL("key STRING NOT NULL, value STRING NOT NULL")

  def changes(arguments: Arguments): KeyChanges = {
    val all = arguments(values)
    if (arguments(replace)) KeyChanges.Replacing(all.collect { case (key, Some(value)) => key -> value })
    else KeyChanges.Merging(all)
  }

  /** @param more further parameters of the call. Removed entries are recorded without a value. */
  def statement(command: String, arguments: Arguments, more: (String, String)*): Statement = {
    val entries = arguments(values).toVector.sortBy(_._1).map {
      case (key, Some(value)) => s"$key=$value"
      case (key, None) => key
    }
    val replaced = Option.when(arguments(replace))("replace" -> "true")
    Statement(command, (more ++ replaced).toMap + ("properties" -> entries.mkString(", ")))
  }

  def rows(entries: Map[String, String]): Iterator[Seq[Any]] =
    entries.toVector.sorted.iterator.map { case (key, value) => Seq(key, value) }
}
