package io.sparklance.spark.schemachange

import org.apache.spark.sql.types.{StructField, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.{BlobVersion, Field, LanceSchema}
import io.sparklance.spark.session.Session
import io.sparklance.spark.types.SchemaConverter

/** Names and fields of new columns. */
private[spark] object NewColumn {

  /** Returns the field without ids, as files of this version store it. */
  def field(column: StructField, version: FileVersion): Field =
    unnumbered(BlobVersion.suiting(SchemaConverter.toLance(StructType(Seq(column))), version).fields.head)

  /** Refuses a field name that is invalid or taken.
    *
    * @param beside
    *   other fields of the same parent
    */
  def checkName(names: Seq[String], beside: Vector[Field]): Unit = {
    val name = names.last
    beside.find(field => Session.alike(field.name, name)).foreach { taken =>
      throw new LanceUsageException(
        s"There is a column '${ColumnPaths.text(names.init :+ taken.name)}' already. Choose another name."
      )
    }
    if (name.isEmpty) throw SchemaConverter.nameless
    if (name.contains('.'))
      throw new LanceUsageException(
        s"A Lance table cannot have a column named '$name', since a dot separates the parts of a nested column's name. " +
          "Choose another name."
      )
    if (names.size == 1) {
      MetadataColumn.named(name).foreach { metadata =>
        throw new LanceUsageException(
          s"'${metadata.name}' is the name of a metadata column, which every Lance table has. Choose another name."
        )
      }
      ofSearches.find(_.equalsIgnoreCase(name)).foreach { found =>
        throw new LanceUsageException(
          s"'$found' is the name of a column that searches of Lance tables return. Choose another name."
        )
      }
    }
  }

  private val ofSearches = Vector("_distance", "_score")

  private def unnumbered(field: Field): Field =
    field.copy(id = LanceSchema.NoId, children = field.children.map(unnumbered))
}
