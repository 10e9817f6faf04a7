package io.sparklance.spark.options

import java.util.Locale

import io.sparklance.LanceUsageException
import io.sparklance.schema.{BlobVersion, PrimaryKey}
import io.sparklance.spark.types.FieldMetadata

/** Keys of column settings, which follow a column's name in an option or a table property, and names that
  * resemble them.
  */
private[options] object ColumnSettingKeys {
  final val Packed = "lance-encoding:packed"

  /** Keys that decide how the values of a column are stored. */
  val ofTypes: Vector[String] = Vector(
    FieldMetadata.FixedSizeKey,
    FieldMetadata.Float16Key,
    FieldMetadata.BFloat16Key,
    FieldMetadata.AskedTypeKey,
    FieldMetadata.ExtensionNameKey,
    BlobVersion.V1Key,
    Packed
  )

  /** Hints for encoders, with the reference's names. */
  private val hints = Vector(
    "blob-dedicated-size-threshold",
    "blob-inline-size-threshold",
    "blob-pack-file-size-threshold",
    "bss",
    "compression",
    "compression-level",
    "dict-divisor",
    "dict-max-size",
    "dict-size-ratio",
    "dict-values-compression",
    "dict-values-compression-level",
    "minichunk-size",
    "rle-threshold",
    "structural-encoding"
  ).map("lance-encoding:" + _)

  private val ofKeys = Vector(PrimaryKey.Flag, PrimaryKey.Position, PrimaryKey.ClusteringPosition)

  val all: Vector[String] = ofTypes ++ hints ++ ofKeys

  /** Returns the key at the end of a name, in any case, and its position. A column must precede it. */
  def find(name: String): Option[(String, Int)] =
    all.filter(key => lower(name).endsWith(s".${lower(key)}")).maxByOption(_.length)
      .map(key => key -> (name.length - key.length)).filter(_._2 > 1)

  /** Refuses a name that resembles a setting and is none: it would be kept without effect.
    *
    * @param columns
    *   top-level columns of the table
    */
  def refuseAlike(name: String, columns: Seq[String]): Unit =
    if (find(name).isEmpty && !name.startsWith("lance.")) {
      val cuts = name.indices.filter(i => name.charAt(i) == '.').map(i => name.drop(i + 1))
      val ofColumn = columns.find(column => lower(name).startsWith(lower(column) + "."))
        .map(column => name.drop(column.length + 1)).filter(Ours.matches(_))
      (ofColumn ++ (name +: cuts).find(isAlike)).headOption.foreach(key => throw unknown(name, key))
    }

  private def unknown(name: String, key: String) = new LanceUsageException(
    s"'$name' looks like a setting of a column, but no such setting " +
      s"exists.${OptionText.suggestion(key, all)} Write <column>.<key>, where the key is one of " +
      s"${all.mkString(", ")} (docs/column-types.md)."
  )

  private val Ours = "(?i)(arrow|lance[-_.]?(encoding|schema|type)|spark\\.type).*".r

  private def isAlike(text: String): Boolean = all.exists { key =>
    lower(key) == lower(text) || key == s"arrow.${lower(text)}" ||
    text.length > 8 && OptionText.suggestion(text, Seq(key)).nonEmpty
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
