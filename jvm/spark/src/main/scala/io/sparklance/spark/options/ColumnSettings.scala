package io.sparklance.spark.options

import scala.util.Try

import org.apache.spark.sql.types._

import io.sparklance.LanceUsageException
import io.sparklance.schema.{BlobVersion, PrimaryKey}
import io.sparklance.spark.types.{AskedTypes, FieldMetadata, KeptTypes}

/** Settings for columns of a new table, from options and table properties: `<column>.<key>` acts like the key
  * in the column's metadata. Fields within columns are named by their path: `struct.field`, `list.item`,
  * `map.key`, `map.value`.
  */
final private[sparklance] case class ColumnSettings(all: Vector[ColumnSettings.One]) {

  /** Returns the columns with the settings in their metadata. Fails for settings that do not fit. */
  def applyTo(schema: StructType): StructType = {
    val applied = withoutChecks(schema)
    all.foreach { setting =>
      ColumnSettingFit.check(applied, setting)
      if (PrimaryKey.position(Map(setting.key -> setting.value)).isDefined) refuseNulls(applied, setting)
    }
    applied
  }

  private[options] def withoutChecks(schema: StructType): StructType = all.foldLeft(schema) {
    (before, setting) =>
      setting.in(before, setting.path) match {
        case Some(Right(struct: StructType)) => struct
        case _ =>
          throw new LanceUsageException(
            s"'${setting.text}' is for a column that does not exist; the columns are " +
              s"${schema.fieldNames.mkString(", ")}. Write <column>.${setting.key}, and for nested " +
              "fields <struct>.<field>, <list>.item, <map>.key or <map>.value."
          )
      }
  }

  /** Refuses a setting that puts an unsuitable column, such as a nullable one, in the primary key. Metadata
    * may do so without effect, but a setting is explicit.
    */
  private def refuseNulls(schema: StructType, setting: ColumnSettings.One): Unit =
    if (!setting.canBeKey(schema, setting.path))
      throw new LanceUsageException(
        s"'${setting.text}' puts column '${setting.path.mkString(".")}' in the primary key, but a key " +
          "column must have a plain type, be NOT NULL like the structs around it, and be outside of " +
          "lists and maps. Declare it NOT NULL in CREATE TABLE; columns of AS SELECT are nullable."
      )
}

private[sparklance] object ColumnSettings {
  val none: ColumnSettings = ColumnSettings(Vector.empty)

  def isSetting(text: String): Boolean = parse(text, "").isDefined

  /** Returns the settings among options or properties. */
  def of(said: Iterable[(String, String)]): ColumnSettings =
    ColumnSettings(said.flatMap { case (text, value) => parse(text, value) }.toVector.sortBy(_.text))

  /** Returns the settings by which a table gets such columns, as properties. Leaves out metadata that a
    * setting cannot give.
    */
  def told(schema: StructType): Map[String, String] = texts(schema, "").filter { case (text, value) =>
    parse(text, value).exists(setting => Try(ColumnSettings(Vector(setting)).applyTo(schema)).isSuccess)
  }.toMap

  private def texts(spark: DataType, prefix: String): Seq[(String, String)] = spark match {
    case struct: StructType =>
      struct.flatMap { column =>
        FieldMetadata.texts(column).map { case (key, value) => s"$prefix${column.name}.$key" -> value } ++
          texts(column.dataType, s"$prefix${column.name}.")
      }
    case ArrayType(item, _) => texts(item, s"${prefix}item.")
    case MapType(key, value, _) => texts(key, s"${prefix}key.") ++ texts(value, s"${prefix}value.")
    case _ => Nil
  }

  /** Refuses names that resemble a setting and are none.
    *
    * @param columns
    *   top-level columns of the table
    */
  def refuseAlike(names: Iterable[String], columns: Seq[String]): Unit =
    names.foreach(ColumnSettingKeys.refuseAlike(_, columns))

  private def parse(text: String, value: String): Option[One] =
    ColumnSettingKeys.find(text).map { case (key, at) =>
      One(text, text.take(at - 1).split('.').toVector, key, value)
    }

  /** @param path names from the top-level column down */
  final case class One(text: String, path: Vector[String], key: String, value: String) {

    /** Sets the key in the metadata of the column at `path`. Right is the changed type. Left is the key to
      * set on the enclosing column, if the part has no metadata of its own, like a list's items. None if the
      * path does not exist.
      */
    private[spark] def in(spark: DataType, path: Vector[String]): Option[Either[String, DataType]] =
      (spark, path) match {
        case (_, Vector()) => Some(Left(key))
        case (struct: StructType, name +: rest) =>
          column(struct, name).flatMap { i =>
            inColumn(struct(i), rest).map(c => Right(StructType(struct.fields.updated(i, c))))
          }
        case (ArrayType(item, nulls), "item" +: rest) => part("item", in(item, rest))(ArrayType(_, nulls))
        case (MapType(keys, values, nulls), "key" +: rest) =>
          part("key", in(keys, rest))(MapType(_, values, nulls))
        case (MapType(keys, values, nulls), "value" +: rest) =>
          part("value", in(values, rest))(MapType(keys, _, nulls))
        case _ => None
      }

    private def inColumn(column: StructField, path: Vector[String]): Option[StructField] =
      in(column.dataType, path).map {
        case Right(changed) => column.copy(dataType = changed)
        case Left(key) =>
          val metadata = new MetadataBuilder().withMetadata(column.metadata).putString(key, value)
          column.copy(metadata = metadata.build())
      }

    private def part(name: String, found: Option[Either[String, DataType]])(
        around: DataType => DataType
    ): Option[Either[String, DataType]] =
      found.map(_.left.map(key => s"$name.$key").map(around))

    private[spark] def canBeKey(spark: DataType, path: Vector[String]): Boolean = (spark, path) match {
      case (_: StructType | _: ArrayType | _: MapType, Vector()) => false
      case (_, Vector()) => true
      case (struct: StructType, name +: rest) =>
        column(struct, name).exists(i => !struct(i).nullable && canBeKey(struct(i).dataType, rest))
      case _ => false
    }

    /** Finds a column by name; options may arrive in lower case. */
    private def column(struct: StructType, name: String): Option[Int] = {
      val names = struct.fieldNames
      val alike = names.indices.filter(i => names(i).equalsIgnoreCase(name))
      alike.find(names(_) == name).orElse(Option.when(alike.size == 1)(alike.head))
    }
  }
}

/** Checks that settings fit their columns: others would have no effect. */
private[options] object ColumnSettingFit {

  /** A part of a schema.
    *
    * @param said
    *   returns the metadata of a key
    */
  final private case class Part(spark: DataType, said: String => Option[String])

  /** Fails if a setting does not fit the column in a schema that has all settings in its metadata. */
  def check(schema: StructType, setting: ColumnSettings.One): Unit =
    find(Part(schema, _ => None), setting.path).flatMap(misfit(setting, _)).foreach { why =>
      throw new LanceUsageException(
        s"'${setting.text}' cannot be '${setting.value}': $why. Correct it, or leave it out (docs/column-types.md)."
      )
    }

  private def find(in: Part, path: Vector[String]): Option[Part] = (in.spark, path) match {
    case (_, Vector()) => Some(in)
    case (struct: StructType, name +: rest) => struct.find(_.name == name)
        .orElse(struct.find(_.name.equalsIgnoreCase(name)))
        .flatMap(c => find(Part(c.dataType, FieldMetadata.text(c, _)), rest))
    case (ArrayType(item, _), "item" +: rest) => find(inside(in, "item", item), rest)
    case (MapType(key, _, _), "key" +: rest) => find(inside(in, "key", key), rest)
    case (MapType(_, value, _), "value" +: rest) => find(inside(in, "value", value), rest)
    case _ => None
  }

  private def inside(around: Part, name: String, spark: DataType): Part =
    Part(spark, key => around.said(s"$name.$key"))

  private def misfit(setting: ColumnSettings.One, part: Part): Option[String] = {
    val spark = KeptTypes.storage(part.spark)
    setting.key match {
      case FieldMetadata.FixedSizeKey => fixedSize(spark, setting.value)
      case FieldMetadata.Float16Key =>
        both(part).orElse(truth(setting.value)).orElse(floats(spark, part, setting))
      case FieldMetadata.BFloat16Key => truth(setting.value).orElse(floats(spark, part, setting))
      case FieldMetadata.AskedTypeKey => AskedTypes.of(setting.value, spark).left.toOption
      case FieldMetadata.ExtensionNameKey => extension(spark, part, setting.value)
      case BlobVersion.V1Key => truth(setting.value).orElse(unless(spark == BinaryType, "a BINARY", spark))
      case ColumnSettingKeys.Packed =>
        truth(setting.value).orElse(unless(spark.isInstanceOf[StructType], "a STRUCT", spark))
      case _ => None
    }
  }

  private def unless(fits: Boolean, wanted: String, spark: DataType): Option[String] =
    Option.unless(fits)(s"it is for $wanted, but the column is ${spark.catalogString}")

  private def truth(value: String): Option[String] =
    Option.when(value.toBooleanOption.isEmpty)("it must be true or false")

  private def fixedSize(spark: DataType, value: String): Option[String] =
    unless(spark.isInstanceOf[ArrayType], "an ARRAY", spark)
      .orElse(Option.when(value.toIntOption.forall(_ < 1))("it must be a number, 1 or more"))

  private def both(part: Part): Option[String] = {
    val asked = Seq(FieldMetadata.Float16Key, FieldMetadata.BFloat16Key)
    Option.when(asked.forall(part.said(_).exists(_.equalsIgnoreCase("true"))))(
      "a column cannot have both half floats and bfloat16"
    )
  }

  private def floats(spark: DataType, part: Part, setting: ColumnSettings.One): Option[String] = spark match {
    case FloatType => None
    case ArrayType(FloatType, _) if part.said(FieldMetadata.FixedSizeKey).isDefined => None
    case ArrayType(FloatType, _) =>
      Some(
        s"a list of any length has it at its items, '${(setting.path :+ "item").mkString(".")}.${setting.key}', or needs " +
          s"${FieldMetadata.FixedSizeKey} besides"
      )
    case other => unless(fits = false, "a FLOAT or a vector of FLOAT", other)
  }

  private def extension(spark: DataType, part: Part, name: String): Option[String] = name match {
    case "lance.json" | "arrow.json" =>
      val isText = spark == StringType && part.said(FieldMetadata.CharVarcharKey).isEmpty
      unless(isText, "a STRING without a length", spark)
    case "lance.bfloat16" => unless(spark == FloatType, "a FLOAT", spark)
    case BlobVersion.V2Extension => unless(spark == BinaryType, "a BINARY", spark)
    case _ =>
      Some(
        s"it must be lance.json, arrow.json, lance.bfloat16 or ${BlobVersion.V2Extension}; columns have others in their own metadata"
      )
  }
}
