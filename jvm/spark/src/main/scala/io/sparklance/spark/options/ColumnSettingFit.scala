package io.sparklance.spark.options

import org.apache.spark.sql.types._

import io.sparklance.LanceUsageException
import io.sparklance.schema.BlobVersion
import io.sparklance.spark.types.{AskedTypes, FieldMetadata, KeptTypes}

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
