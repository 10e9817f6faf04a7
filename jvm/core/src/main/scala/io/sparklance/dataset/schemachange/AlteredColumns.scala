package io.sparklance.dataset.schemachange

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.schema.{Field, LanceSchema, SchemaCodec}
import io.sparklance.table.transaction.{KeyChanges, NullRules, Operation}

/** What a table becomes by other columns, as an operation: the least that says it, so that as little as can be conflicts.
  * Values of columns that are new to a fragment are in a file of its own; without one they are null.
  */
object AlteredColumns {

  /** None if nothing changes.
    *
    * @param schema of the table from now on; all its fields have numbers
    * @param files with the values of fields for all rows of a fragment, deleted ones included, each with the fragment's number
    */
  def operation(
      dataset: Dataset,
      schema: LanceSchema,
      files: Vector[(Long, WrittenFile)] = Vector.empty
  ): Option[Operation] = dataset.locating {
    val before = dataset.schema
    val isKnown = before.preOrder.map(_.id).toSet
    if (files.isEmpty && schema == before) None
    else if (files.isEmpty && bare(schema) == bare(before)) Some(describing(before, schema))
    else if (files.isEmpty && schema.preOrder.forall(field => isKnown(field.id)))
      Some(Operation.Project.of(fields(dataset, schema), nullRules(before, schema)))
    else Some(merge(dataset, schema, files))
  }

  /** @param files as [[operation]] has them */
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

  /** Only metadata differ. */
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

  /** A new field is missing in rows that others write meanwhile. They suit the new schema if the first field on the way to it that
    * they lack may be null; below a column that may not, the reference lets no such rows in either.
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
