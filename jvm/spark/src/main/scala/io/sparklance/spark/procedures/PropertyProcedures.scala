package io.sparklance.spark.procedures

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.schema.{Field, PrimaryKey}
import io.sparklance.spark.history.Statement
import io.sparklance.table.transaction.{KeyChanges, Operation}

/** Procedures that change keys and values. NULL removes a key; with `replace`, absent keys are removed, too.
  * They return the resulting keys and values.
  */
private[procedures] object PropertyProcedures {
  private val values = Parameter.entries("values")
  private val replace = Parameter.flag("replace")
  private val field = Parameter.text("field")
  private val keyColumns = Parameter.names("columns")
  private val pairs = "key STRING NOT NULL, value STRING NOT NULL"

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure(
      "update_config",
      "Sets and removes keys of a table's config.",
      Vector(values, replace),
      pairs
    )(updateConfig),
    LanceProcedure(
      "update_metadata",
      "Sets and removes keys of a table's own metadata.",
      Vector(values, replace),
      pairs
    )(updateMetadata),
    LanceProcedure(
      "update_schema_metadata",
      "Sets and removes keys of the schema's metadata.",
      Vector(values, replace),
      pairs
    )(updateSchemaMetadata),
    LanceProcedure(
      "update_field_metadata",
      "Sets and removes keys of a field's metadata.",
      Vector(field, values, replace),
      pairs
    )(updateFieldMetadata),
    LanceProcedure(
      "set_primary_key",
      "Sets the primary key, which nobody enforces, of a table that has none.",
      Vector(keyColumns),
      "version BIGINT NOT NULL, columns ARRAY<STRING> NOT NULL"
    )(setPrimaryKey)
  )

  private def setPrimaryKey(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val names = arguments(keyColumns)
    val fields = names.map(find(dataset, _))
    if (fields.isEmpty)
      throw new LanceUsageException("A primary key has no column. Name one or more.")
    fields.diff(fields.distinct).headOption.foreach { twice =>
      throw new LanceUsageException(s"The primary key has column '${twice.name}' twice. Name it once.")
    }
    val marks = fields.map(_.id).zipWithIndex.map { case (id, i) =>
      id -> KeyChanges.Merging(Map(
        PrimaryKey.Flag -> Some("true"),
        PrimaryKey.Position -> Some((i + 1).toString)
      ))
    }
    val recorded = Statement("SET PRIMARY KEY", Map("columns" -> names.mkString(", ")))
    val after = recorded.commit(dataset, Operation.UpdateConfig.ofFields(marks.toMap)).dataset
    Iterator(Seq[Any](after.version, PrimaryKey.of(after.schema)))
  }

  private def updateConfig(arguments: Arguments): Iterator[Seq[Any]] = {
    val operation = Operation.UpdateConfig.ofConfig(changes(arguments))
    rows(changed("UPDATE CONFIG", arguments, operation).config)
  }

  private def updateMetadata(arguments: Arguments): Iterator[Seq[Any]] = {
    val operation = Operation.UpdateConfig.ofTable(changes(arguments))
    rows(changed("UPDATE METADATA", arguments, operation).manifest.tableMetadata)
  }

  private def updateSchemaMetadata(arguments: Arguments): Iterator[Seq[Any]] = {
    val operation = Operation.UpdateConfig.ofSchema(changes(arguments))
    rows(changed("UPDATE SCHEMA METADATA", arguments, operation).schema.metadata)
  }

  private def updateFieldMetadata(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val id = find(dataset, arguments(field)).id
    val operation = Operation.UpdateConfig.ofField(id, changes(arguments))
    val recorded = statement("UPDATE FIELD METADATA", arguments, "field" -> arguments(field))
    val after = recorded.commit(dataset, operation).dataset
    rows(after.schema.preOrder.find(_.id == id).fold(Map.empty[String, String])(_.metadata))
  }

  private def changed(command: String, arguments: Arguments, operation: Operation): Dataset =
    statement(command, arguments).commit(arguments.latest, operation).dataset

  private def changes(arguments: Arguments): KeyChanges = {
    val all = arguments(values)
    if (arguments(replace)) KeyChanges.Replacing(all.collect { case (key, Some(value)) => key -> value })
    else KeyChanges.Merging(all)
  }

  /** Returns what is recorded of a call. Removed entries are recorded without a value.
    *
    * @param more
    *   further parameters of the call
    */
  private def statement(command: String, arguments: Arguments, more: (String, String)*): Statement = {
    val entries = arguments(values).toVector.sortBy(_._1).map {
      case (key, Some(value)) => s"$key=$value"
      case (key, None) => key
    }
    val replaced = Option.when(arguments(replace))("replace" -> "true")
    Statement(command, (more ++ replaced).toMap + ("properties" -> entries.mkString(", ")))
  }

  private def rows(entries: Map[String, String]): Iterator[Seq[Any]] =
    entries.toVector.sorted.iterator.map { case (key, value) => Seq(key, value) }

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
