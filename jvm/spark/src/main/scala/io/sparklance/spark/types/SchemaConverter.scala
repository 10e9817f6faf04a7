package io.sparklance.spark.types

import org.apache.spark.sql.types._

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.schema.{BlobVersion, Field, LanceSchema, LogicalType, LogicalTypes, PrimaryKey}
import io.sparklance.spark.session.Session
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Converts between Lance and Spark types. */
private[sparklance] object SchemaConverter {

  // ---- Lance to Spark

  /** Returns the Spark schema of a table. Columns of unsupported types are BINARY, and fail when they are
    * read.
    */
  def toSpark(schema: LanceSchema, readTypes: ReadTypeOptions = ReadTypeOptions.default): StructType = {
    if (!Session.caseSensitive) refuseNamesThatSparkConfuses(schema.fields)
    StructType(schema.fields.map(toSpark(_, readTypes)))
  }

  def toSpark(field: Field, readTypes: ReadTypeOptions): StructField =
    StructField(field.name, dataType(field, readTypes), field.nullable, FieldMetadata.toSpark(field))

  def dataType(field: Field, readTypes: ReadTypeOptions): DataType =
    KeptTypes.restored(field, typeOf(field, readTypes)(dataType(_, readTypes)))

  /** Returns the type that queries see: CHAR and VARCHAR are STRING there. */
  def queryType(field: Field, readTypes: ReadTypeOptions): DataType =
    KeptTypes.inQueries(dataType(field, readTypes))

  /** Returns the Spark type of the stored values, ignoring a recorded type. Works on executors, without a
    * session.
    */
  def plainType(field: Field, readTypes: ReadTypeOptions): DataType =
    typeOf(field, readTypes)(plainType(_, readTypes))

  private def typeOf(field: Field, readTypes: ReadTypeOptions)(inside: Field => DataType): DataType =
    supportedType(field, readTypes)(inside).getOrElse(BinaryType)

  /** Refuses columns of unsupported types. Called before columns are read. */
  def refuseUnsupported(fields: Vector[Field]): Unit = fields.foreach(refuseUnsupported(_, ""))

  /** @param around path of the enclosing fields, ending with a dot */
  private def refuseUnsupported(field: Field, around: String): Unit = {
    val path = around + field.name
    if (supportedType(field, ReadTypeOptions.default)(plainType(_, ReadTypeOptions.default)).isEmpty)
      throw new UnsupportedLanceFeatureException(
        s"column '$path' of type ${LogicalTypes.print(field.logicalType)}"
      )
    if (!field.isBlob) field.children.foreach(refuseUnsupported(_, s"$path."))
  }

  /** @param inside types of the field's children */
  private def supportedType(
      field: Field,
      readTypes: ReadTypeOptions
  )(inside: Field => DataType): Option[DataType] =
    if (field.isBlob) field.blobVersion.map(blobType(_, readTypes))
    else nestedType(field, inside).orElse(ShownTypes.of(field, readTypes.lossyValues))

  private def blobType(version: BlobVersion, readTypes: ReadTypeOptions): DataType = readTypes.blobs match {
    case BlobHandling.Descriptors => StructType(version.descriptor.map(toSpark(_, readTypes)))
    case BlobHandling.Bytes => BinaryType
  }

  private def nestedType(field: Field, inside: Field => DataType): Option[DataType] =
    (field.logicalType, field.children) match {
      case (LogicalType.Struct, children) =>
        Some(StructType(children.map { child =>
          StructField(child.name, inside(child), child.nullable, FieldMetadata.toSpark(child))
        }))
      case (LogicalType.List(_, _) | LogicalType.FixedSizeList(_, _), Vector(item)) =>
        Some(ArrayType(inside(item), item.nullable))
      case (LogicalType.Map, Vector(Field(_, _, LogicalType.Struct, _, Vector(key, value), _))) =>
        Some(MapType(inside(key), inside(value), value.nullable))
      case _ => None
    }

  /** Refuses names that differ only in case: Spark would find them ambiguous, or confuse them. */
  private def refuseNamesThatSparkConfuses(fields: Vector[Field]): Unit = {
    fields.map(_.name).groupBy(_.toLowerCase(java.util.Locale.ROOT)).values.find(_.size > 1).foreach {
      alike =>
        throw new LanceUsageException(
          s"The table has columns whose names differ in case only (${alike.mkString(", ")}), which Spark " +
            "cannot distinguish. Set spark.sql.caseSensitive to true to read it."
        )
    }
    fields.foreach(field => refuseNamesThatSparkConfuses(field.children))
  }

  // ---- Spark to Lance

  /** Returns the schema of a new table, with ids from 0. The error names all columns that Lance cannot store.
    */
  def toLance(schema: StructType): LanceSchema = {
    refuseNamesThatLanceForbids(schema)
    WrittenTypes.all(schema.fields.toVector, around = "") match {
      case Right(fields) => WriteSchema.forNewTable(PrimaryKey.whereValid(LanceSchema(fields)))
      case Left(misfits) =>
        throw new LanceUsageException(misfits.mkString("A Lance table cannot hold ", "; ", "."))
    }
  }

  private def refuseNamesThatLanceForbids(schema: StructType): Unit = {
    if (schema.isEmpty) throw new LanceUsageException("A Lance table needs a column; none was given.")
    schema.fieldNames.flatMap(MetadataColumn.named).headOption.foreach { metadata =>
      throw new LanceUsageException(
        s"A Lance table cannot have a column named '${metadata.name}': it is a metadata column of every Lance table. " +
          "Rename it."
      )
    }
    structsIn(schema).foreach { struct =>
      if (struct.fieldNames.contains("")) throw nameless
      struct.fieldNames.find(_.contains('.')).foreach { name =>
        throw new LanceUsageException(
          s"A Lance table cannot have a column named '$name', since a dot separates the parts of a nested column's " +
            "name. Rename it."
        )
      }
      struct.fieldNames.groupBy(identity).find(_._2.length > 1).foreach { case (name, _) =>
        throw new LanceUsageException(s"There are two columns named '$name'. Rename one of them.")
      }
      if (!Session.caseSensitive)
        struct.fieldNames.groupBy(_.toLowerCase(java.util.Locale.ROOT)).find(_._2.length > 1).foreach {
          case (_, alike) =>
            throw new LanceUsageException(
              s"There are columns whose names differ in case only (${alike.mkString(", ")}), which Spark " +
                "could not distinguish in the table. Rename one of them, or set spark.sql.caseSensitive " +
                "to true."
            )
        }
    }
  }

  /** Returns the refusal of a column without a name. */
  def nameless: LanceUsageException = new LanceUsageException(
    "A Lance table cannot have a column without a name, and one was given. Name it, for example by AS or alias."
  )

  private def structsIn(spark: DataType): Vector[StructType] = spark match {
    case struct: StructType => struct +: struct.fields.toVector.flatMap(f => structsIn(f.dataType))
    case ArrayType(item, _) => structsIn(item)
    case MapType(key, value, _) => structsIn(key) ++ structsIn(value)
    case _ => Vector.empty
  }
}
