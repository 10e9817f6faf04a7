package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.transaction.KeyChanges

/** What procedures have in common that change keys and values: NULL removes a key, and with `replace` so does leaving it out.
  * They show what there is afterwards.
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

  def rows(entries: Map[String, String]): Iterator[Seq[Any]] =
    entries.toVector.sorted.iterator.map { case (key, value) => Seq(key, value) }
}
