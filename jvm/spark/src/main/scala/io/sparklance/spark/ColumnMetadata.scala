package io.sparklance.spark

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.types.{CharType, Metadata, MetadataBuilder, StructField, VarcharType}

import io.sparklance.schema.{Field, LogicalType}

/** The metadata of an Arrow field, which is text, in that of a Spark column, which is typed. */
object ColumnMetadata {

  /** The length of a fixed-size list, which Spark's array type does not tell. A number. */
  val FixedSizeKey = "arrow.fixed-size-list.size"

  /** The type in Lance, where Spark's says less: `time64:ns`, `fixed_size_binary:16`. A text. */
  val StoredTypeKey = "lance.type"

  /** Extensions of Arrow that say how values are stored: what Spark writes of such columns is stored otherwise. */
  private val storageExtensions = Set("lance.json", "arrow.json", "lance.bfloat16", "lance.blob.v2")

  /** A hint that is more than a hint: it says that a column is stored otherwise than its type has it. */
  private val storageHints = Set("lance-encoding:blob")

  /** Where Spark keeps `char(n)` and `varchar(n)` of what is otherwise a string; it checks lengths by it. */
  private val CharVarcharKey = "__CHAR_VARCHAR_TYPE_STRING"

  /** Keys that describe a column of a query or of a catalog, not the stored one. */
  private val sparksOwn = Set("CURRENT_DEFAULT", "EXISTS_DEFAULT")

  private val json = new ObjectMapper

  def toSpark(field: Field): Metadata = {
    val built = field.metadata.foldLeft(new MetadataBuilder) { case (builder, (key, value)) =>
      builder.putString(key, value)
    }
    field.logicalType match {
      case LogicalType.FixedSizeList(_, size) => val _ = built.putLong(FixedSizeKey, size.toLong)
      case _ => ()
    }
    if (!ShownTypes.saysAll(field.logicalType)) {
      val _ = built.putString(StoredTypeKey, ShownTypes.name(field))
    }
    built.build()
  }

  /** Texts are kept; other values have no place in Arrow's metadata. */
  def toLance(column: StructField): Map[String, String] = {
    val entries = json.readValue(column.metadata.json, classOf[java.util.Map[String, Object]]).asScala
    val all = entries.collect { case (key, text: String) if isKept(key) => key -> text }.toMap
    val texts =
      if (all.get("ARROW:extension:name").exists(storageExtensions))
        all.removedAll(Seq("ARROW:extension:name", "ARROW:extension:metadata"))
      else all
    column.dataType match {
      case _: CharType | _: VarcharType => texts + (CharVarcharKey -> column.dataType.typeName)
      case _ => texts
    }
  }

  /** What the metadata says to be the length of each list. People write it as text, too. */
  def fixedSize(column: StructField): Option[Long] =
    Option(json.readTree(column.metadata.json).get(FixedSizeKey)).flatMap(_.asText.toLongOption)

  private def isKept(key: String): Boolean =
    key == CharVarcharKey ||
      !(key.startsWith("__") || sparksOwn(key) || storageHints(key) || key == FixedSizeKey ||
        key == StoredTypeKey)
}
