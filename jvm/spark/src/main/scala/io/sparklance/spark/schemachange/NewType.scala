package io.sparklance.spark.schemachange

import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.connector.catalog.TableChange.UpdateColumnType
import org.apache.spark.sql.types.{DataType, StructField}

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.schemachange.{ColumnChange => Change, ValueCast}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.spark.types.{
  FieldMetadata,
  KeptTypes,
  LossyValues,
  ReadTypeOptions,
  SchemaConverter,
  ShownTypes
}

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

  /** Whether a change of a field's type keeps every value that the old type can have, and is one that we
    * make.
    */
  def isWider(schema: LanceSchema, change: UpdateColumnType): Boolean =
    ColumnPaths.find(schema, change.fieldNames.toVector).exists(isWider(_, change.newDataType))

  private def isWider(field: Field, spark: DataType): Boolean =
    ShownTypes.of(field, LossyValues.Fail).exists(Cast.canUpCast(_, spark)) && {
      val wanted = NewColumn.field(StructField(field.name, spark, field.nullable), FileVersion.default)
      ValueCast.of(field.logicalType, wanted.logicalType).isDefined
    }

  /** Refuses a type that lacks values of the old one. Spark offers such a type when a row to write has it. */
  def refuseNarrower(schema: LanceSchema, change: UpdateColumnType): Unit = {
    val field = ColumnPaths.field(schema, change.fieldNames.toVector)
    ShownTypes.of(field, LossyValues.Fail).filterNot(Cast.canUpCast(_, change.newDataType)).foreach { shown =>
      throw new LanceUsageException(
        s"Column '${ColumnPaths.text(change.fieldNames.toVector)}' of type ${shown.sql} would become ${change.newDataType.sql}, " +
          s"which lacks some of its values. Cast the rows to ${shown.sql}, or use alter_columns."
      )
    }
  }

  /** Returns the changes that give the field a stored type. */
  def changes(field: Field, lance: LogicalType): Vector[Change] =
    if (field.logicalType == lance) Vector.empty
    else Vector(described(field, Map.empty), Change.Retype(field.id, lance))

  private def described(field: Field, told: Map[String, String]): Change =
    Change.Describe(field.id, ofTypes.map(key => key -> told.get(key)).toMap)
}
