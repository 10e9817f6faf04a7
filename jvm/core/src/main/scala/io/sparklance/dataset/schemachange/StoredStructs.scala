package io.sparklance.dataset.schemachange

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Structs whose nulls, and the lengths of the lists around them, are stored with the values of their fields.
  * A new field without a file has none, so it cannot take them over from the last field that does.
  */
private[schemachange] object StoredStructs {

  /** Refuses a change after which a fragment has no field of a struct any more.
    *
    * @param files
    *   fragment ids with files of new columns
    */
  def refuseLoss(dataset: Dataset, schema: LanceSchema, files: Vector[(Long, WrittenFile)]): Unit = {
    val before = dataset.schema.preOrder.map(field => field.id -> field).toMap
    val structs = for {
      struct <- schema.preOrder if struct.logicalType == LogicalType.Struct
      old <- before.get(struct.id) if old.preOrder.exists(field => !struct.preOrder.exists(_.id == field.id))
    } yield (struct, leaves(old), leaves(struct))
    if (structs.nonEmpty) {
      val added = files.groupMap(_._1)(_._2).view.mapValues(_.flatMap(Dataset.dataFile(_).fieldIds).toSet)
      for {
        fragment <- dataset.fragments
        stored = fragment.files.flatMap(_.fieldIds).toSet
        (struct, old, now) <- structs
        if old.exists(stored) && !now.exists(stored) && !added.get(fragment.id).exists(ids => now.exists(ids))
      } throw lost(SchemaEdit.name(schema, struct.id))
    }
  }

  private def leaves(field: Field): Set[Int] = field.preOrder.filter(_.children.isEmpty).map(_.id).toSet

  private def lost(struct: String) = new LanceUsageException(
    s"The fields of '$struct' that would be left have no values in some files, so '$struct' would become NULL there. Write them first, by " +
      s"UPDATE … SET ${struct.takeWhile(_ != '.')} = ${struct.takeWhile(_ != '.')}, or drop '$struct' as a whole."
  )
}
