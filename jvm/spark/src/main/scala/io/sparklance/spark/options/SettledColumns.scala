package io.sparklance.spark.options

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.types.{FieldMetadata, ReadTypeOptions, SchemaConverter}

/** Refuses settings that would change existing columns; accepts those that describe them as they are. */
private[spark] object SettledColumns {

  /** @param table name for messages */
  def check(settings: ColumnSettings, table: String, schema: LanceSchema): Unit = if (settings.all.nonEmpty) {
    val stored = SchemaConverter.toSpark(schema, ReadTypeOptions.written)
    val _ = settings.applyTo(stored)
    settings.all.foreach { setting =>
      if (changes(ColumnSettings(Vector(setting)), setting.path.head, stored))
        throw new LanceUsageException(
          s"'${setting.text}' = '${setting.value}' comes too late for $table: the column exists, and is " +
            s"stored otherwise. ${vectors(setting, schema)}Leave it out, or create the table with it (CREATE TABLE, or " +
            "CREATE OR REPLACE TABLE … AS SELECT). Hints for encoders and keys of existing columns are set by " +
            "CALL lance.system.update_field_metadata."
        )
    }
  }

  private def vectors(setting: ColumnSettings.One, schema: LanceSchema): String = (
    for {
      column <- schema.fields.find(_.name.equalsIgnoreCase(setting.path.head))
      if setting.path.size == 1 && setting.key == FieldMetadata.FixedSizeKey
      cure <- VectorCure.of(column)
    } yield s"$cure "
  ).getOrElse("")

  private def changes(setting: ColumnSettings, name: String, stored: StructType): Boolean = {
    val column = StructType(stored.filter(_.name.equalsIgnoreCase(name)))
    SchemaConverter.toLance(setting.withoutChecks(column)) != SchemaConverter.toLance(column)
  }
}
