package io.sparklance.spark

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.types.{CharType, Metadata, MetadataBuilder, StructField, VarcharType}

/** The metadata of an Arrow field, which is text, in that of a Spark column, which is typed. */
object ColumnMetadata {

  /** The length of a fixed-size list, which Spark's array type does not tell. A number. */
  val FixedSizeKey = "arrow.fixed-size-list.size"

  /** Where Spark keeps `char(n)` and `varchar(n)` of what is otherwise a string; it checks lengths by it. */
  private val CharVarcharKey = "__CHAR_VARCHAR_TYPE_STRING"

  /** Keys that describe a column of a query or of a catalog, not the stored one. */
  private val sparksOwn = Set("CURRENT_DEFAULT", "EXISTS_DEFAULT")

  private val json = new ObjectMapper

  def toSpark(arrow: Map[String, String], fixedSize: Option[Int]): Metadata = {
    val built = arrow.foldLeft(new MetadataBuilder) { case (builder, (key, value)) =>
      builder.putString(key, value)
    }
    fixedSize.fold(built)(n => built.putLong(FixedSizeKey, n.toLong)).build()
  }

  /** Texts are kept; other values have no place in Arrow's metadata. */
  def toLance(column: StructField): Map[String, String] = {
    val entries = json.readValue(column.metadata.json, classOf[java.util.Map[String, Object]]).asScala
    val texts = entries.collect { case (key, text: String) if isKept(key) => key -> text }.toMap
    column.dataType match {
      case _: CharType | _: VarcharType => texts + (CharVarcharKey -> column.dataType.typeName)
      case _ => texts
    }
  }

  /** What the metadata says to be the length of each list. People write it as text, too. */
  def fixedSize(column: StructField): Option[Long] =
    Option(json.readTree(column.metadata.json).get(FixedSizeKey)).flatMap(_.asText.toLongOption)

  private def isKept(key: String): Boolean =
    key == CharVarcharKey || !(key.startsWith("__") || sparksOwn(key) || key == FixedSizeKey)
}
