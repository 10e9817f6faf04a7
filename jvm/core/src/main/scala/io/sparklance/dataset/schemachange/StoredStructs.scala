package io.sparklance.dataset.schemachange

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
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

  /** Refuses new structs that would be NULL in the rows of a table of version 2.0: its files cannot hold such
    * structs, so every later write of these rows would fail.
    *
    * @param filled
    *   ids of new fields that get a value in all rows
    */
  def refuseNulls(dataset: Dataset, schema: LanceSchema, filled: Set[Int]): Unit = {
    val isKnown = dataset.schema.preOrder.map(_.id).toSet ++ filled
    def nullStruct(field: Field): Option[Field] =
      if (isKnown(field.id)) field.children.flatMap(nullStruct).headOption
      else Option.when(field.logicalType == LogicalType.Struct && !field.isBlob)(field)
    dataset.fileVersion match {
      case FileVersion.V2_0 if dataset.fragments.nonEmpty =>
        schema.fields.flatMap(nullStruct).headOption.foreach { struct =>
          throw new LanceUsageException(
            s"'${SchemaEdit.name(schema, struct.id)}' would be a struct that is NULL in existing rows, which files of version 2.0 " +
              "cannot hold. Raise the table's file version first: CALL lance.system.raise_file_version(table, '2.1')."
          )
        }
      case FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 => ()
    }
  }

  private def leaves(field: Field): Set[Int] = field.preOrder.filter(_.children.isEmpty).map(_.id).toSet

  private def lost(struct: String) = new LanceUsageException(
    s"The fields of '$struct' that would be left have no values in some files, so '$struct' would become NULL there. Write them first, by " +
      s"UPDATE … SET ${struct.takeWhile(_ != '.')} = ${struct.takeWhile(_ != '.')}, or drop '$struct' as a whole."
  )
}
