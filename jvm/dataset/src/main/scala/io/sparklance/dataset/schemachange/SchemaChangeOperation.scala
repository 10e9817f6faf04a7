package io.sparklance.dataset.schemachange

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.schema.{Field, LanceSchema, LogicalType, SchemaCodec}
import io.sparklance.table.transaction.{KeyChanges, NullRules, Operation}

/** Turns a change of columns into the operation with the fewest conflicts. Values of columns that are new to
  * a fragment are in a file of their own; without one they are null.
  */
private[sparklance] object SchemaChangeOperation {

  /** Refuses new fields with which later writes, or other readers, would fail.
    *
    * @param filled
    *   ids of new fields that get a value in all rows
    */
  def refuseUnwritable(dataset: Dataset, schema: LanceSchema, filled: Set[Int] = Set.empty): Unit = {
    refuseSplitMaps(dataset, schema)
    StoredStructs.refuseNulls(dataset, schema, filled)
  }

  /** Refuses new fields within a map that has rows: its fields would be in several files, and pylance 14.0.2
    * panics.
    */
  private def refuseSplitMaps(dataset: Dataset, schema: LanceSchema): Unit = if (dataset.fragments.nonEmpty) {
    val isKnown = dataset.schema.preOrder.map(_.id).toSet
    for {
      map <- schema.preOrder.filter(field => field.logicalType == LogicalType.Map && isKnown(field.id))
      added <- map.preOrder.find(field => !isKnown(field.id))
    } throw new LanceUsageException(
      s"'${shown(schema, added)}' would be a new field, or have another type, within the map " +
        s"'${shown(schema, map)}', whose fields must all be in one file. Write the whole map to a new column, " +
        "and drop the old one."
    )
  }

  /** Returns the name of a field, without the entries of maps that it is in. */
  private def shown(schema: LanceSchema, field: Field): String = {
    val path = SchemaEdit.path(schema, field.id)
    path.zip(None +: path.map(Option(_))).collect {
      case (each, around) if !around.exists(_.logicalType == LogicalType.Map) => each.name
    }.mkString(".")
  }

  /** Returns None if nothing changes.
    *
    * @param schema
    *   the new schema; all fields have ids
    * @param files
    *   fragment ids with files of new columns for all rows, including deleted ones
    */
  def operation(
      dataset: Dataset,
      schema: LanceSchema,
      files: Vector[(Long, WrittenFile)] = Vector.empty
  ): Option[Operation] = dataset.locating {
    val before = dataset.schema
    val isKnown = before.preOrder.map(_.id).toSet
    StoredStructs.refuseLoss(dataset, schema, files)
    if (files.isEmpty && schema == before) None
    else if (files.isEmpty && bare(schema) == bare(before)) Some(describing(before, schema))
    else if (files.isEmpty && schema.preOrder.forall(field => isKnown(field.id)))
      Some(Operation.Project.of(fields(dataset, schema), nullRules(before, schema)))
    else Some(merge(dataset, schema, files))
  }

  /** @param files as in [[operation]] */
  def merge(dataset: Dataset, schema: LanceSchema, files: Vector[(Long, WrittenFile)]): Operation =
    dataset.locating {
      val live = schema.preOrder.map(_.id).toSet
      val added = files.groupMap(_._1)(_._2)
      val fragments = dataset.fragments.map { fragment =>
        val its = added.getOrElse(fragment.id, Vector.empty)
        its.foldLeft(fragment)((before, file) => before.withFile(Dataset.dataFile(file))).keeping(live)
      }
      Operation.Merge.altering(
        fragments,
        fields(dataset, schema),
        dataset.manifest.message.schemaMetadata,
        nullRules(dataset.schema, schema)
      )
    }

  private def fields(dataset: Dataset, schema: LanceSchema) =
    SchemaCodec.encodeOver(dataset.manifest.message.fields, schema)

  /** Returns the operation for changed metadata. */
  private def describing(before: LanceSchema, after: LanceSchema): Operation = {
    val changes = before.preOrder.zip(after.preOrder).collect {
      case (old, now) if old.metadata != now.metadata =>
        val set = now.metadata.filterNot { case (key, value) => old.metadata.get(key).contains(value) }
        val removed = (old.metadata.keySet -- now.metadata.keySet).map(_ -> None)
        now.id -> KeyChanges.Merging(set.view.mapValues(Option(_)).toMap ++ removed)
    }
    Operation.UpdateConfig.ofFields(changes.toMap)
  }

  private def bare(schema: LanceSchema): Vector[Field] = {
    def bareField(field: Field): Field =
      field.copy(metadata = Map.empty, children = field.children.map(bareField))
    schema.fields.map(bareField)
  }

  /** Decides whether rows that others write meanwhile, which lack new fields, are valid: if the outermost
    * missing field is nullable. pylance refuses such rows below a NOT NULL column, too.
    */
  private def nullRules(before: LanceSchema, after: LanceSchema): NullRules = {
    val old = before.preOrder.map(field => field.id -> field).toMap
    def isTighter(field: Field, column: Field): Boolean = old.get(field.id) match {
      case None => !field.nullable || !column.nullable
      case Some(there) => there.nullable && !field.nullable || field.children.exists(isTighter(_, column))
    }
    if (after.fields.exists(column => isTighter(column, column))) NullRules.Tightened else NullRules.Preserved
  }
}

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
