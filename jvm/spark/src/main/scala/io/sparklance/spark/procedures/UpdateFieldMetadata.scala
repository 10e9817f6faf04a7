package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.schema.Field
import io.sparklance.table.transaction.Operation

private[sparklance] object UpdateFieldMetadata
    extends LanceProcedure("update_field_metadata", "Sets and removes keys of a field's metadata.") {
  private val field = Parameter.text("field")
  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, field, KeysAndValues.values, KeysAndValues.replace)
  val result: StructType = KeysAndValues.result

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val id = find(dataset, arguments(field)).id
    val operation = Operation.UpdateConfig.ofField(id, KeysAndValues.changes(arguments))
    val statement = KeysAndValues.statement("UPDATE FIELD METADATA", arguments, "field" -> arguments(field))
    val after = statement.commit(dataset, operation).dataset
    KeysAndValues.rows(after.schema.preOrder.find(_.id == id).fold(Map.empty[String, String])(_.metadata))
  }

  /** Finds a field by names separated by dots; a name may contain dots itself. */
  private def find(dataset: Dataset, path: String): Field = {
    def within(fields: Vector[Field], rest: String): Option[Field] = fields.iterator.flatMap { f =>
      if (f.name == rest) Some(f)
      else if (rest.startsWith(f.name + ".")) within(f.children, rest.drop(f.name.length + 1))
      else None
    }.nextOption()
    within(dataset.schema.fields, path).getOrElse(
      throw new LanceUsageException(
        s"The table at ${dataset.root} has no field '$path'; its columns are " +
          s"${dataset.schema.fields.map(_.name).mkString(", ")}. Write <struct>.<field> for a nested " +
          "field."
      )
    )
  }
}
