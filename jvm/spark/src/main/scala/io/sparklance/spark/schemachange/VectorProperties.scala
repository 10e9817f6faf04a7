package io.sparklance.spark.schemachange

import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.spark.options.ColumnSettings
import io.sparklance.spark.types.FieldMetadata

/** Properties of an existing table that make vectors of its columns of lists.
  *
  * @param alterations
  *   the columns with their new types
  * @param properties
  *   names of the properties that say so
  */
final private[spark] case class VectorProperties(
    alterations: Vector[ColumnAlteration],
    properties: Set[String]
)

private[spark] object VectorProperties {
  private val ofFloats = Set(FieldMetadata.Float16Key, FieldMetadata.BFloat16Key)

  /** Finds them among properties that are set. */
  def of(schema: LanceSchema, set: Map[String, String]): VectorProperties = {
    val settings = ColumnSettings.of(set).all
    val found = for {
      setting <- settings.filter(_.key == FieldMetadata.FixedSizeKey)
      size <- setting.value.toIntOption.filter(_ > 0)
      field <- ColumnPaths.find(schema, setting.path)
      item <- itemOf(field)
    } yield {
      val beside = settings.filter(other =>
        other.path == setting.path && ofFloats(other.key) && other.value.equalsIgnoreCase("true")
      )
      val stored = beside.headOption.fold(item) { narrow =>
        if (narrow.key == FieldMetadata.Float16Key) LogicalType.FloatingPoint(16) else LogicalType.BFloat16
      }
      val wanted = LogicalType.FixedSizeList(stored, size)
      (ColumnAlteration(setting.path.mkString("."), None, None, Some(wanted)), setting +: beside)
    }
    VectorProperties(found.map(_._1), found.flatMap(_._2).map(_.text).toSet)
  }

  private def itemOf(field: Field): Option[LogicalType] = (field.logicalType, field.children) match {
    case (LogicalType.List(_, _), Vector(item)) if item.children.isEmpty => Some(item.logicalType)
    case _ => None
  }
}
