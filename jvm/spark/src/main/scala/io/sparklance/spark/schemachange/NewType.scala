package io.sparklance.spark.schemachange

import org.apache.spark.sql.types.{DataType, StructField}

import io.sparklance.data.FileVersion
import io.sparklance.dataset.schemachange.{ColumnChange => Change}
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.spark.types.{FieldMetadata, KeptTypes, ReadTypeOptions, SchemaConverter}

/** ALTER COLUMN TYPE. A new Spark type need not change the stored type. */
private[spark] object NewType {

  /** Removes metadata of a column's former type. */
  private val ofTypes = Seq(
    FieldMetadata.CharVarcharKey,
    KeptTypes.Key,
    FieldMetadata.ExtensionNameKey,
    FieldMetadata.ExtensionMetadataKey
  )

  def changes(field: Field, spark: DataType, version: FileVersion): Vector[Change] = {
    val wanted = NewColumn.field(StructField(field.name, spark, field.nullable), version)
    val isStoredSo = SchemaConverter.plainType(field, ReadTypeOptions.written) ==
      SchemaConverter.plainType(wanted, ReadTypeOptions.written)
    if (isStoredSo) Vector(described(field, wanted.metadata))
    else Vector(described(field, wanted.metadata), Change.Retype(field.id, wanted.logicalType))
  }

  /** Returns the changes that give the field a stored type. */
  def changes(field: Field, lance: LogicalType): Vector[Change] =
    if (field.logicalType == lance) Vector.empty
    else Vector(described(field, Map.empty), Change.Retype(field.id, lance))

  private def described(field: Field, told: Map[String, String]): Change =
    Change.Describe(field.id, ofTypes.map(key => key -> told.get(key)).toMap)
}
