package io.sparklance.spark

import org.apache.spark.sql.types._

import io.sparklance.schema.{BlobVersion, Field, LanceSchema, LogicalType, LogicalTypes, TimeUnit}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Lance's types in Spark's, and back. */
object SchemaConverter {

  // ---- Lance to Spark

  /** The schema that Spark shows of a table. Columns of types that are not supported are BINARY, until they are read. */
  def toSpark(schema: LanceSchema, showing: Showing = Showing.default): StructType = {
    refuseNamesThatSparkConfuses(schema.fields)
    StructType(schema.fields.map(toSpark(_, showing)))
  }

  def toSpark(field: Field, showing: Showing): StructField =
    StructField(field.name, dataType(field, showing), field.nullable, ColumnMetadata.toSpark(field))

  def dataType(field: Field, showing: Showing): DataType =
    supportedType(field, showing).getOrElse(BinaryType)

  /** Fails if there is no way to show one of the fields, or one in them; to be called before they are read. */
  def refuseUnsupported(fields: Vector[Field]): Unit = fields.foreach(refuseUnsupported(_, ""))

  /** @param around the names of what the field is in, each with a dot */
  private def refuseUnsupported(field: Field, around: String): Unit = {
    val path = around + field.name
    if (supportedType(field, Showing.default).isEmpty)
      throw new UnsupportedLanceFeatureException(
        s"column '$path' of type ${LogicalTypes.print(field.logicalType)}"
      )
    if (!field.isBlob) field.children.foreach(refuseUnsupported(_, s"$path."))
  }

  private def supportedType(field: Field, showing: Showing): Option[DataType] =
    if (field.isBlob) field.blobVersion.map(blobType(_, showing))
    else nestedType(field, showing).orElse(ShownTypes.of(field, showing.lossyValues))

  private def blobType(version: BlobVersion, showing: Showing): DataType = showing.blobs match {
    case BlobHandling.Descriptors => StructType(version.descriptor.map(toSpark(_, showing)))
    case BlobHandling.Bytes => BinaryType
  }

  private def nestedType(field: Field, showing: Showing): Option[DataType] = {
    def inside(child: Field): DataType = dataType(child, showing)
    (field.logicalType, field.children) match {
      case (LogicalType.Struct, children) =>
        refuseNamesThatSparkConfuses(children)
        Some(StructType(children.map(toSpark(_, showing))))
      case (LogicalType.List(_, _) | LogicalType.FixedSizeList(_, _), Vector(item)) =>
        Some(ArrayType(inside(item), item.nullable))
      case (LogicalType.Map, Vector(Field(_, _, LogicalType.Struct, _, Vector(key, value), _))) =>
        Some(MapType(inside(key), inside(value), value.nullable))
      case _ => None
    }
  }

  /** Spark would call `a` and `A` ambiguous, or take one for the other. */
  private def refuseNamesThatSparkConfuses(fields: Vector[Field]): Unit = if (!Session.caseSensitive)
    fields.map(_.name).groupBy(_.toLowerCase(java.util.Locale.ROOT)).values.find(_.size > 1).foreach {
      alike =>
        throw new LanceUsageException(
          s"The table has columns whose names differ in case only (${alike.mkString(", ")}), which Spark does not tell " +
            "apart. Set spark.sql.caseSensitive to true to read it."
        )
    }

  // ---- Spark to Lance

  /** The schema of a new table, its fields numbered from 0. All columns that Lance cannot hold are named at once. */
  def toLance(schema: StructType): LanceSchema = {
    refuseNamesThatLanceForbids(schema)
    val types = schema.fields.toVector.map(f => f -> lanceType(f))
    val misfits = types.collect { case (field, Left(cure)) =>
      s"column '${field.name}' of type ${field.dataType.catalogString}: $cure"
    }
    if (misfits.nonEmpty)
      throw new LanceUsageException(misfits.mkString("A Lance table cannot hold ", "; ", "."))
    val fields = types.collect { case (field, Right(lance)) => (field, lance) }.zipWithIndex
    LanceSchema(fields.map { case ((f, lance), id) =>
      Field(id, f.name, lance, f.nullable, metadata = ColumnMetadata.toLance(f))
    })
  }

  /** The type in Lance, or what to do instead. */
  private def lanceType(field: StructField): Either[String, LogicalType] = field.dataType match {
    case BooleanType => Right(LogicalType.Bool)
    case _: DecimalType | DateType | BinaryType => Right(scalarType(field.dataType))
    case TimestampType => Right(LogicalType.Timestamp(TimeUnit.Microsecond, Some("UTC")))
    case TimestampNTZType => Right(LogicalType.Timestamp(TimeUnit.Microsecond, None))
    case StringType | _: CharType | _: VarcharType => Right(LogicalType.Utf8(large = false))
    case _: StringType => Left("cast it to STRING, as Lance knows no collations")
    case ArrayType(item, _) => vectorType(field, item)
    case NullType => Left("give it a type, for example CAST(NULL AS STRING)")
    case other =>
      numericType(other).toRight("cast it to a type that docs/format-coverage.md lists, or leave it out")
  }

  private def scalarType(spark: DataType): LogicalType = spark match {
    case d: DecimalType => LogicalType.Decimal(128, d.precision, d.scale)
    case DateType => LogicalType.Date32
    case _ => LogicalType.Binary(large = false)
  }

  private def numericType(spark: DataType): Option[LogicalType] = spark match {
    case ByteType => Some(LogicalType.Integer(8, signed = true))
    case ShortType => Some(LogicalType.Integer(16, signed = true))
    case IntegerType => Some(LogicalType.Integer(32, signed = true))
    case LongType => Some(LogicalType.Integer(64, signed = true))
    case FloatType => Some(LogicalType.FloatingPoint(32))
    case DoubleType => Some(LogicalType.FloatingPoint(64))
    case _ => None
  }

  /** An array is a vector of a fixed size if the column's metadata says its size. */
  private def vectorType(field: StructField, item: DataType): Either[String, LogicalType] =
    (ColumnMetadata.fixedSize(field), numericType(item)) match {
      case (Some(size), _) if size < 1 || size > Int.MaxValue =>
        Left(s"its metadata '${ColumnMetadata.FixedSizeKey}' must be 1 or more, not $size")
      case (Some(size), Some(lance)) => Right(LogicalType.FixedSizeList(lance, size.toInt))
      case (Some(_), None) => Left("the elements of a fixed-size list must be integers, floats or doubles")
      case (None, _) =>
        Left(
          "arrays of varying length are not supported yet; for vectors of one size, set the column's metadata " +
            s"'${ColumnMetadata.FixedSizeKey}' to that size"
        )
    }

  private def refuseNamesThatLanceForbids(schema: StructType): Unit = {
    if (schema.isEmpty) throw new LanceUsageException("A Lance table needs a column; none was given.")
    schema.fieldNames.find(n => n.isEmpty || n.contains('.')).foreach { name =>
      throw new LanceUsageException(
        s"A Lance table cannot have a column named '$name', since a dot separates the parts of a nested column's " +
          "name. Rename it."
      )
    }
    schema.fieldNames.groupBy(identity).find(_._2.length > 1).foreach { case (name, _) =>
      throw new LanceUsageException(s"There are two columns named '$name'. Rename one of them.")
    }
  }
}
