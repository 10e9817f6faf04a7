package io.sparklance.spark.types

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.{ArrayType, MapType, Metadata, MetadataBuilder, StructField}

import io.sparklance.schema.{BlobVersion, Field, LogicalType}

/** Converts metadata between Arrow fields (text) and Spark columns (typed).
  *
  * Spark has no metadata for a list's items or a map's keys and values. Their keys are in the column's
  * metadata, prefixed with `item.`, `key.` or `value.`: a list of vectors has
  * `item.arrow.fixed-size-list.size`.
  */
private[sparklance] object FieldMetadata {

  /** Length of a fixed-size list, which Spark's array type lacks. A number. */
  val FixedSizeKey = "arrow.fixed-size-list.size"

  /** Whether floats, or the items of a list of floats, have 16 bits: IEEE halves, or BFloat16. `true` or
    * `false`.
    */
  val Float16Key = "arrow.float16"
  val BFloat16Key = "arrow.bfloat16"

  /** The Lance type that a new column has, where Spark's stands for several: `uint8`. A text. */
  val AskedTypeKey = "arrow.type"

  /** The Lance type, where Spark's is less specific: `time64:ns`, `fixed_size_binary:16`. A text. */
  val StoredTypeKey = "lance.type"

  /** Metadata that complete a column's type. */
  private val ofTypes =
    Set(FixedSizeKey, Float16Key, BFloat16Key, AskedTypeKey, StoredTypeKey, KeptTypes.Key)

  val ExtensionNameKey = "ARROW:extension:name"
  val ExtensionMetadataKey = "ARROW:extension:metadata"

  /** Arrow extensions that determine how values are stored. Copies that Spark writes of such columns are
    * stored otherwise.
    */
  private val storageExtensions = Set("lance.json", "arrow.json", "lance.bfloat16", "lance.blob.v2")

  /** Whether a hint for encoders changes how a column is stored. */
  private def isStorageHint(key: String): Boolean = key == BlobVersion.V1Key

  /** Whether the bytes of a column are to be stored as blobs. */
  def isBlob(column: StructField): Boolean = isTrue(column, BlobVersion.V1Key) ||
    text(column, ExtensionNameKey).contains(BlobVersion.V2Extension)

  /** Spark's key for the `char(n)` or `varchar(n)` of a string column; Spark checks lengths by it. */
  val CharVarcharKey = "__CHAR_VARCHAR_TYPE_STRING"

  private val json = new ObjectMapper

  // ---- Lance to Spark

  def toSpark(field: Field): Metadata = put(new MetadataBuilder, field, "").build()

  private def put(into: MetadataBuilder, field: Field, prefix: String): MetadataBuilder = {
    val scalars = ScalarMetadata.of(field)
    (field.metadata - ScalarMetadata.Key).foreach { case (key, value) =>
      scalars.get(key).fold[Unit] { val _ = into.putString(prefix + key, value) }(
        ScalarMetadata.put(into, prefix + key, _)
      )
    }
    putType(into, field.logicalType, prefix)
    if (!ShownTypes.saysAll(field.logicalType)) {
      val _ = into.putString(prefix + StoredTypeKey, ShownTypes.name(field))
    }
    (field.logicalType, field.children) match {
      case _ if field.isBlob => into
      case (LogicalType.List(_, _) | LogicalType.FixedSizeList(_, _), Vector(item)) =>
        put(into, item, s"${prefix}item.")
      case (LogicalType.Map, Vector(Field(_, _, _, _, Vector(key, value), _))) =>
        put(put(into, key, s"${prefix}key."), value, s"${prefix}value.")
      case _ => into
    }
  }

  private def putType(into: MetadataBuilder, lance: LogicalType, prefix: String): Unit = lance match {
    case LogicalType.FixedSizeList(item, size) =>
      val _ = into.putLong(prefix + FixedSizeKey, size.toLong)
      putType(into, item, if (isFloat(item)) prefix else s"${prefix}item.")
    case LogicalType.FloatingPoint(16) => val _ = into.putString(prefix + Float16Key, "true")
    case LogicalType.BFloat16 => val _ = into.putString(prefix + BFloat16Key, "true")
    case _ => ()
  }

  /** Whether a type is a float. Settings of a list of floats apply to its items. */
  private def isFloat(lance: LogicalType): Boolean = lance match {
    case LogicalType.FloatingPoint(_) | LogicalType.BFloat16 => true
    case _ => false
  }

  // ---- Spark to Lance

  /** Returns the Arrow metadata of a column: its texts, numbers and truth values, without extensions of types
    * that Spark shows as simpler ones, because a copy is stored as Spark's type.
    */
  def toLance(column: StructField): Map[String, String] = {
    val (texts, others) =
      entries(column).filter(entry => isKept(entry._1) && !isOfParts(column, entry._1)).toVector
        .partition(_._2.isTextual)
    val all = texts.map {
      case (CharVarcharKey, text) => CharVarcharKey -> withoutCollation(text.textValue)
      case (key, text) => key -> text.textValue
    }.toMap ++ ScalarMetadata.told(others)
    val isStoredOtherwise = text(column, StoredTypeKey).isDefined
    if (all.get(ExtensionNameKey).exists(name => isStoredOtherwise || storageExtensions(name)))
      all.removedAll(Seq(ExtensionNameKey, ExtensionMetadataKey))
    else all
  }

  /** Returns the metadata of a part of a list or a map: `item`, `key` or `value`. */
  def inside(column: StructField, part: String): Metadata = {
    val own = json.createObjectNode()
    entries(column).foreach { case (key, value) =>
      if (key.startsWith(s"$part.")) { val _ = own.set[ObjectNode](key.drop(part.length + 1), value) }
    }
    Metadata.fromJson(own.toString)
  }

  /** Returns the value of a key; numbers may be given as text. */
  def text(column: StructField, key: String): Option[String] =
    Option(json.readTree(column.metadata.json).get(key)).map(_.asText)

  def isTrue(column: StructField, key: String): Boolean = text(column, key).exists(_.equalsIgnoreCase("true"))

  /** Returns the length of fixed-size lists, if set. */
  def fixedSize(column: StructField): Option[String] = text(column, FixedSizeKey)

  /** Returns the plain values of a column's metadata as texts. */
  def texts(column: StructField): Seq[(String, String)] = entries(column).collect {
    case (key, value) if value.isValueNode => key -> value.asText
  }.toSeq

  private def entries(column: StructField): Iterator[(String, JsonNode)] =
    json.readTree(column.metadata.json).fields.asScala.map(entry => entry.getKey -> entry.getValue)

  private def isOfParts(column: StructField, key: String): Boolean = (column.dataType match {
    case _: ArrayType => Seq("item.")
    case _: MapType => Seq("key.", "value.")
    case _ => Nil
  }).exists(key.startsWith)

  /** Spark 4.3 shows the collation of CHAR columns in SHOW CREATE TABLE, and this one says nothing. */
  def withoutCollation(charVarchar: String): String = charVarchar.stripSuffix(" collate UTF8_BINARY")

  private def isKept(key: String): Boolean =
    key == CharVarcharKey ||
      !(key == ScalarMetadata.Key || key.startsWith("__") || isStorageHint(key) || ofTypes(key))
}

/** Numbers and truth values in the metadata of Spark's columns. Arrow's metadata are texts: each is stored as
  * one, and a further key records which they are.
  */
private[types] object ScalarMetadata {

  /** Key of the numbers and truth values, a JSON object. */
  final val Key = "spark.metadata"

  /** Spark's own numbers, such as the delay of a watermark, act on queries and are not stored. */
  final private val OfSpark = "spark."

  private val json = new ObjectMapper

  /** Returns the Arrow metadata of entries that are not texts. Arrays and nested metadata are left out. */
  def told(entries: Iterable[(String, JsonNode)]): Map[String, String] = {
    val scalars = entries.filter { case (key, value) =>
      (value.isNumber || value.isBoolean) && !key.startsWith(OfSpark)
    }
    if (scalars.isEmpty) Map.empty
    else {
      val all = json.createObjectNode()
      scalars.foreach { case (key, value) => all.set[JsonNode](key, value) }
      scalars.map { case (key, value) => key -> value.asText }.toMap + (Key -> all.toString)
    }
  }

  /** Returns the entries that are recorded and unchanged. */
  def of(field: Field): Map[String, JsonNode] = {
    val recorded = for {
      text <- field.metadata.get(Key).toVector
      node <- Try(json.readTree(text)).toOption.toVector if node.isObject
      entry <- node.fields.asScala
    } yield entry.getKey -> entry.getValue
    recorded.filter { case (key, value) => field.metadata.get(key).contains(value.asText) }.toMap
  }

  def put(into: MetadataBuilder, key: String, value: JsonNode): Unit = {
    val _ =
      if (value.isBoolean) into.putBoolean(key, value.booleanValue)
      else if (value.isIntegralNumber) into.putLong(key, value.longValue)
      else if (value.isNumber) into.putDouble(key, value.doubleValue)
      else into.putString(key, value.asText)
  }
}
