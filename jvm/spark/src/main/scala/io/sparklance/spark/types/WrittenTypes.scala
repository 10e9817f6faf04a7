package io.sparklance.spark.types

import java.util.Locale

import org.apache.spark.sql.types._

import io.sparklance.schema.{BlobVersion, Field, LogicalType, TimeUnit}

/** Lance types of Spark types. */
private[spark] object WrittenTypes {

  /** A column that Lance cannot hold: its path, and an alternative. */
  final case class UnsupportedColumn(name: String, spark: DataType, cure: String) {
    override def toString: String = s"column '$name' of type ${spark.catalogString}: $cure"
  }

  /** Type of a flat column, with the metadata that restore Spark's type. */
  final private case class Stored(lance: LogicalType, told: Map[String, String] = Map.empty)

  /** Returns the field, without ids, or all unsupported columns.
    *
    * @param around
    *   path of the parent, ending with a dot
    */
  def of(column: StructField, around: String = ""): Either[Vector[UnsupportedColumn], Field] = {
    val name = around + column.name
    def field(lance: LogicalType, children: Vector[Field], told: Map[String, String] = Map.empty): Field =
      Field(
        -1,
        column.name,
        lance,
        column.nullable,
        children,
        FieldMetadata.toLance(column) ++ KeptTypes.told(column.dataType) ++ told
      )
    def part(named: String, spark: DataType, nullable: Boolean): StructField =
      StructField(named, spark, nullable, FieldMetadata.inside(column, named))
    KeptTypes.storage(column.dataType) match {
      case BinaryType if FieldMetadata.isBlob(column) =>
        Right(field(LogicalType.Binary(large = true), Vector.empty, Map(BlobVersion.V1Key -> "true")))
      case struct: StructType if FieldMetadata.isBlob(column) =>
        Left(Vector(UnsupportedColumn(name, struct, Descriptors)))
      case struct: StructType => all(struct.fields.toVector, s"$name.").map(field(LogicalType.Struct, _))
      case ArrayType(item, hasNulls) if FieldMetadata.fixedSize(column).isEmpty =>
        of(part("item", item, hasNulls), s"$name.").map { child =>
          field(
            LogicalType.List(large = false, ofStruct = child.logicalType == LogicalType.Struct),
            Vector(child)
          )
        }
      case MapType(key, value, hasNulls) =>
        all(Vector(part("key", key, nullable = false), part("value", value, hasNulls)), s"$name.")
          .map(Field(-1, "entries", LogicalType.Struct, nullable = false, _))
          .map(entries => field(LogicalType.Map, Vector(entries)))
      case flatType if FieldMetadata.isBlob(column) => Left(Vector(UnsupportedColumn(name, flatType, NoBlob)))
      case flatType =>
        flat(column.copy(dataType = flatType)) match {
          case Right(stored) => Right(field(stored.lance, Vector.empty, stored.told))
          case Left(cure) => Left(Vector(UnsupportedColumn(name, column.dataType, cure)))
        }
    }
  }

  def all(columns: Vector[StructField], around: String): Either[Vector[UnsupportedColumn], Vector[Field]] = {
    val (misfits, fields) = columns.map(of(_, around)).partitionMap(identity)
    if (misfits.isEmpty) Right(fields) else Left(misfits.flatten)
  }

  /** Returns the Lance type, or an alternative for the user. */
  private def flat(column: StructField): Either[String, Stored] =
    FieldMetadata.text(column, FieldMetadata.AskedTypeKey).fold(ofSpark(column)) { asked =>
      AskedTypes.of(asked, column.dataType)
        .map(Stored(_)).left.map(why => s"its '${FieldMetadata.AskedTypeKey}' cannot be '$asked': $why")
    }

  private def ofSpark(column: StructField): Either[String, Stored] = column.dataType match {
    case StringType if extension(column).exists(Json) =>
      Right(Stored(LogicalType.Json, extensionOf("lance.json")))
    case StringType | _: CharType | _: VarcharType => Right(Stored(LogicalType.Utf8(large = false)))
    case _: StringType => Left("cast it to STRING, as Lance knows no collations")
    case FloatType => Right(float(column))
    case ArrayType(item, _) => vector(column, item).map(Stored(_))
    case VariantType =>
      Left(
        "write to_json(…) of it, as its dates, times and decimals would be texts in Lance's JSON; with metadata " +
          s"${FieldMetadata.ExtensionNameKey} = lance.json such a text is stored as JSON"
      )
    case other =>
      val cure =
        if (isPlace(other)) "write ST_AsBinary(…) of it, which ST_GeomFromWKB and ST_GeogFromWKB read"
        else "cast it to a type that docs/format-coverage.md lists, or leave it out"
      plain(other).map(Stored(_)).toRight(cure)
  }

  /** Whether a type is GEOMETRY or GEOGRAPHY, which Spark has from 4.1 on and does not cast. */
  private def isPlace(spark: DataType): Boolean =
    Seq("geometry", "geography").exists(spark.typeName.toLowerCase(Locale.ROOT).startsWith)

  private def plain(spark: DataType): Option[LogicalType] = spark match {
    case BooleanType => Some(LogicalType.Bool)
    case ByteType => Some(LogicalType.Integer(8, signed = true))
    case ShortType => Some(LogicalType.Integer(16, signed = true))
    case IntegerType | _: YearMonthIntervalType => Some(LogicalType.Integer(32, signed = true))
    case LongType => Some(LogicalType.Integer(64, signed = true))
    case DoubleType => Some(LogicalType.FloatingPoint(64))
    case d: DecimalType => Some(LogicalType.Decimal(128, d.precision, d.scale))
    case BinaryType => Some(LogicalType.Binary(large = false))
    case DateType => Some(LogicalType.Date32)
    case TimestampType => Some(LogicalType.Timestamp(TimeUnit.Microsecond, Some("UTC")))
    case TimestampNTZType => Some(LogicalType.Timestamp(TimeUnit.Microsecond, None))
    case _: DayTimeIntervalType => Some(LogicalType.Duration(TimeUnit.Microsecond))
    case NullType => Some(LogicalType.Null)
    case time if KeptTypes.isTime(time) => Some(LogicalType.Time(TimeUnit.Nanosecond))
    case _ => None
  }

  /** Extension names of JSON. */
  private val Json = Set("lance.json", "arrow.json")

  private def extension(column: StructField): Option[String] =
    FieldMetadata.text(column, FieldMetadata.ExtensionNameKey)

  private def extensionOf(name: String): Map[String, String] =
    Map(FieldMetadata.ExtensionNameKey -> name, FieldMetadata.ExtensionMetadataKey -> "")

  private def float(column: StructField): Stored = narrow(column) match {
    case LogicalType.BFloat16 => Stored(LogicalType.FixedSizeBinary(2), extensionOf("lance.bfloat16"))
    case other => Stored(other)
  }

  private def narrow(column: StructField): LogicalType =
    if (FieldMetadata.isTrue(column, FieldMetadata.Float16Key)) LogicalType.FloatingPoint(16)
    else if (
      FieldMetadata.isTrue(column, FieldMetadata.BFloat16Key) ||
      extension(column).contains("lance.bfloat16")
    ) LogicalType.BFloat16
    else LogicalType.FloatingPoint(32)

  /** Returns the type of an array: fixed-size if the column's metadata give a size. */
  private def vector(column: StructField, item: DataType): Either[String, LogicalType] = {
    val inside = StructField("item", item, nullable = true, FieldMetadata.inside(column, "item"))
    val stored = item match {
      case StringType | BinaryType | NullType => Left(NoVector)
      case _ if FieldMetadata.text(inside, FieldMetadata.AskedTypeKey).isDefined => flat(inside).map(_.lance)
      case FloatType => Right(Seq(inside, column).map(narrow).find(_ != FloatOf32).getOrElse(FloatOf32))
      case ArrayType(inner, _) if FieldMetadata.fixedSize(inside).isDefined => vector(inside, inner)
      case other => plain(other).toRight(NoVector)
    }
    FieldMetadata.fixedSize(column).flatMap(_.toIntOption).filter(_ > 0) match {
      case None => Left(s"its metadata '${FieldMetadata.FixedSizeKey}' must be a number, 1 or more")
      case Some(size) => stored.map(LogicalType.FixedSizeList(_, size))
    }
  }

  private val Descriptors =
    "it describes blobs and has none of their bytes; read the bytes, by the option blobHandling = bytes, or " +
      "spark.datasource.lance.blobHandling = bytes in the session"
  private val NoBlob = s"only BINARY is stored as blobs; leave out its metadata '${BlobVersion.V1Key}'"
  private val FloatOf32 = LogicalType.FloatingPoint(32)
  private val NoVector =
    "the elements of a fixed-size list must be booleans, numbers, dates, times, or fixed-size lists of these"
}
