package io.sparklance.spark

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LogicalType, TimeUnit}

/** The Lance types in which Spark's are stored. */
private[spark] object WrittenTypes {

  /** A column that Lance cannot hold: its name, with those of what it is in, and why or what to do instead. */
  final case class Misfit(name: String, spark: DataType, cure: String) {
    override def toString: String = s"column '$name' of type ${spark.catalogString}: $cure"
  }

  /** The field with all that is in it, not numbered yet; or all that does not fit.
    *
    * @param around the names of what the column is in, each with a dot
    */
  def of(column: StructField, around: String = ""): Either[Vector[Misfit], Field] = {
    val name = around + column.name
    def field(lance: LogicalType, children: Vector[Field]): Field =
      Field(-1, column.name, lance, column.nullable, children, ColumnMetadata.toLance(column))
    column.dataType match {
      case struct: StructType => all(struct.fields.toVector, s"$name.").map(field(LogicalType.Struct, _))
      case ArrayType(item, hasNulls) if ColumnMetadata.fixedSize(column).isEmpty =>
        of(StructField("item", item, hasNulls), s"$name.").map { child =>
          field(
            LogicalType.List(large = false, ofStruct = child.logicalType == LogicalType.Struct),
            Vector(child)
          )
        }
      case map: MapType => entries(map, name).map(child => field(LogicalType.Map, Vector(child)))
      case other =>
        flat(column).left.map(cure => Vector(Misfit(name, other, cure))).map(field(_, Vector.empty))
    }
  }

  def all(columns: Vector[StructField], around: String): Either[Vector[Misfit], Vector[Field]] = {
    val (misfits, fields) = columns.map(of(_, around)).partitionMap(identity)
    if (misfits.isEmpty) Right(fields) else Left(misfits.flatten)
  }

  private def entries(map: MapType, name: String): Either[Vector[Misfit], Field] = {
    val both = Vector(
      StructField("key", map.keyType, nullable = false),
      StructField("value", map.valueType, map.valueContainsNull)
    )
    all(both, s"$name.").map(Field(-1, "entries", LogicalType.Struct, nullable = false, _))
  }

  /** The type in Lance, or what to do instead. */
  private def flat(column: StructField): Either[String, LogicalType] = column.dataType match {
    case BooleanType => Right(LogicalType.Bool)
    case d: DecimalType => Right(LogicalType.Decimal(128, d.precision, d.scale))
    case DateType => Right(LogicalType.Date32)
    case BinaryType => Right(LogicalType.Binary(large = false))
    case TimestampType => Right(LogicalType.Timestamp(TimeUnit.Microsecond, Some("UTC")))
    case _: DayTimeIntervalType => Right(LogicalType.Duration(TimeUnit.Microsecond))
    case TimestampNTZType => Right(LogicalType.Timestamp(TimeUnit.Microsecond, None))
    case StringType | _: CharType | _: VarcharType => Right(LogicalType.Utf8(large = false))
    case _: StringType => Left("cast it to STRING, as Lance knows no collations")
    case ArrayType(item, _) => vector(column, item)
    case NullType => Left("give it a type, for example CAST(NULL AS STRING)")
    case other =>
      number(other).toRight("cast it to a type that docs/format-coverage.md lists, or leave it out")
  }

  private def number(spark: DataType): Option[LogicalType] = spark match {
    case ByteType => Some(LogicalType.Integer(8, signed = true))
    case ShortType => Some(LogicalType.Integer(16, signed = true))
    case IntegerType => Some(LogicalType.Integer(32, signed = true))
    case LongType => Some(LogicalType.Integer(64, signed = true))
    case FloatType => Some(LogicalType.FloatingPoint(32))
    case DoubleType => Some(LogicalType.FloatingPoint(64))
    case _ => None
  }

  /** An array is a vector of a fixed size if the column's metadata says its size. */
  private def vector(column: StructField, item: DataType): Either[String, LogicalType] =
    (ColumnMetadata.fixedSize(column), number(item)) match {
      case (Some(size), _) if size < 1 || size > Int.MaxValue =>
        Left(s"its metadata '${ColumnMetadata.FixedSizeKey}' must be 1 or more, not $size")
      case (Some(size), Some(lance)) => Right(LogicalType.FixedSizeList(lance, size.toInt))
      case (_, _) => Left("the elements of a fixed-size list must be integers, floats or doubles")
    }
}
