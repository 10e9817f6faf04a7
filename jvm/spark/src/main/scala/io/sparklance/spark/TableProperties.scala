package io.sparklance.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Properties of a table that a catalog keeps, which are options of all writes to it. */
private[spark] object TableProperties {
  private val WritePrefix = "lance.write."

  def isWriteOption(property: String): Boolean = property.startsWith(WritePrefix)

  /** The options of a write, over those that the table's properties give. */
  def over(properties: Map[String, String], options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val defaults = properties.collect {
      case (key, value) if key.startsWith(WritePrefix) => key.drop(WritePrefix.length) -> value
    }.filterNot { case (name, _) => options.containsKey(name) }
    new CaseInsensitiveStringMap((defaults ++ options.asCaseSensitiveMap.asScala).asJava)
  }
}
