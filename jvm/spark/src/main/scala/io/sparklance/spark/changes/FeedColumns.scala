package io.sparklance.spark.changes

import org.apache.spark.sql.types.{LongType, StringType, StructField, StructType, TimestampType}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.Field
import io.sparklance.spark.session.Session

/** Columns of a change feed that the table does not have. */
private[changes] object FeedColumns {
  val kind: StructField = StructField("_change_type", StringType, nullable = false)
  val version: StructField = StructField("_commit_version", LongType, nullable = false)
  val timestamp: StructField = StructField("_commit_timestamp", TimestampType, nullable = false)
  private val rowId = StructField(MetadataColumn.RowId.name, LongType, nullable = false)

  private val added = Vector(rowId, kind, version, timestamp)

  /** Returns the columns of the feed: those of the table, and those that tell of the change. */
  def of(stored: StructType, table: String): StructType = {
    added.find(column => stored.exists(s => Session.alike(s.name, column.name))).foreach { column =>
      throw new LanceUsageException(
        s"$table has a column '${column.name}', and so would its change feed. Rename the table's column."
      )
    }
    StructType(stored.fields ++ added)
  }

  /** Returns the names of the columns that no file has. */
  val constants: Set[String] = Set(kind, version, timestamp).map(_.name)

  /** Returns the value of a column of the feed. */
  def value(name: String, projection: Vector[Field]): ChangeValue =
    if (name == kind.name) ChangeValue.Kind
    else if (name == version.name) ChangeValue.Version
    else if (name == timestamp.name) ChangeValue.Timestamp
    else ChangeValue.Stored(projection.indexWhere(_.name == name))
}

/** The source of a column of a change feed. */
sealed private[changes] trait ChangeValue extends Product with Serializable

private[changes] object ChangeValue {
  case object Kind extends ChangeValue
  case object Version extends ChangeValue
  case object Timestamp extends ChangeValue

  /** @param at position in the projection of the scan */
  final case class Stored(at: Int) extends ChangeValue
}
