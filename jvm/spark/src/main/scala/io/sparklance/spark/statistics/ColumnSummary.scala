package io.sparklance.spark.statistics

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.table.StatisticsKeys

/** Counts of a column's values.
  *
  * @param distinct
  *   number of distinct values, estimated; nulls excluded
  */
final private[spark] case class ValueCounts(rows: Long, nulls: Long, distinct: Long)

/** Sizes of a column's values in bytes, nulls excluded. */
final private[spark] case class ValueSizes(average: Long, longest: Long)

/** The smallest and the largest value of a column, as Spark's catalogs store them. */
final private[spark] case class ValueBounds(min: String, max: String)

/** Statistics of a column for Spark's optimizer. The table's config has them, one key a column:
  * {{{
  *   sparklance.column-statistics.<field id> =
  *     {"files":"1f0c…","type":"int","rows":5,"nulls":1,"distinct":3,"average":4,"longest":4,"min":"1","max":"7"}
  * }}}
  *
  * @param files
  *   digest of the data files that had the values
  * @param dataType
  *   the column's type in Spark
  * @param bounds
  *   None for types that Spark's estimates do not compare, and if all values are null
  */
final private[spark] case class ColumnSummary(
    files: String,
    dataType: String,
    counts: ValueCounts,
    sizes: ValueSizes,
    bounds: Option[ValueBounds]
) {

  def toJson: String = {
    val node = ColumnSummary.mapper.createObjectNode()
    node.put("files", files).put("type", dataType)
    node.put("rows", counts.rows).put("nulls", counts.nulls).put("distinct", counts.distinct)
    node.put("average", sizes.average).put("longest", sizes.longest)
    bounds.foreach(values => node.put("min", values.min).put("max", values.max))
    node.toString
  }
}

private[spark] object ColumnSummary {
  private val mapper = new ObjectMapper

  /** Key of a field's statistics in the config of a table. */
  def key(fieldId: Int): String = s"${StatisticsKeys.Prefix}$fieldId"

  /** Returns None for a text of another form: estimates do without it. */
  def ofJson(text: String): Option[ColumnSummary] =
    try Option(mapper.readTree(text)).flatMap(parsed)
    catch { case _: JsonProcessingException => None }

  private def parsed(node: JsonNode): Option[ColumnSummary] = {
    def number(key: String) = Option(node.get(key)).filter(_.canConvertToLong).map(_.longValue).filter(_ >= 0)
    def string(key: String) = Option(node.get(key)).filter(_.isTextual).map(_.textValue)
    for {
      files <- string("files")
      dataType <- string("type")
      rows <- number("rows")
      nulls <- number("nulls") if nulls <= rows
      distinct <- number("distinct")
      average <- number("average")
      longest <- number("longest")
    } yield {
      val bounds = for (min <- string("min"); max <- string("max")) yield ValueBounds(min, max)
      val (counts, sizes) = (ValueCounts(rows, nulls, distinct), ValueSizes(average, longest))
      ColumnSummary(files, dataType, counts, sizes, bounds)
    }
  }
}
