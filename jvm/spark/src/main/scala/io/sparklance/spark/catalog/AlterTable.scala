package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{ColumnChange, RemoveProperty, SetProperty}

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.history.AlterStatement
import io.sparklance.spark.options.{ColumnSettings, SettledColumns, TableProperties}
import io.sparklance.spark.schemachange.{
  AlterTableCommit,
  ColumnAlteration,
  PropertyChanges,
  SparkColumnChanges,
  VectorProperties
}
import io.sparklance.spark.session.TableLocation

/** Runs ALTER TABLE: all changes of a statement become one version, or none does. */
private[spark] object AlterTable {

  def apply(location: TableLocation, changes: Seq[TableChange]): Unit = {
    val columns = changes.collect { case change: ColumnChange => change }
    val properties = changes.filter(isOfProperty)
    val other = changes.filterNot(change => columns.contains(change) || properties.contains(change))
    other.foreach(change => throw unsupported(change.getClass.getSimpleName))
    if (columns.nonEmpty && properties.nonEmpty) throw unsupported("columns and properties at the same time")
    if (columns.nonEmpty) {
      val statement = AlterStatement.ofColumns(columns)
      AlterTableCommit.columns(location, statement)(new SparkColumnChanges(_).applied(columns))
    } else {
      val rest = convertVectors(location, properties)
      if (rest.nonEmpty) {
        checkProperties(location, rest)
        val statement = AlterStatement.ofProperties(rest)
        AlterTableCommit.properties(location, statement, PropertyChanges.operation(rest))
      }
    }
  }

  /** Makes vectors of columns of lists where properties say so. Returns the other changes. */
  def convertVectors(location: TableLocation, changes: Seq[TableChange]): Seq[TableChange] = {
    val set = sets(changes)
    val isOfColumns = set.keys.exists(ColumnSettings.isSetting)
    if (!isOfColumns || !Dataset.exists(location.store, location.root)) changes
    else {
      val vectors = VectorProperties.of(Dataset.open(location.store, location.root).schema, set)
      val rest = changes.filter {
        case set: SetProperty => !vectors.properties(set.property)
        case _ => true
      }
      if (vectors.alterations.nonEmpty) {
        if (rest.nonEmpty)
          throw unsupported(
            "the size of vectors and other properties at the same time (write two statements)"
          )
        AlterTableCommit.columns(location, AlterStatement.ofProperties(changes))(
          ColumnAlteration.applied(_, vectors.alterations)
        )
      }
      rest
    }
  }

  private def sets(changes: Seq[TableChange]): Map[String, String] =
    changes.collect { case set: SetProperty => set.property -> set.value }.toMap

  def checkProperties(location: TableLocation, changes: Seq[TableChange]): Unit = {
    val set = sets(changes)
    TableProperties.check(set)
    if (set.keys.exists(_.contains('.')) && Dataset.exists(location.store, location.root)) {
      val schema = Dataset.open(location.store, location.root).schema
      ColumnSettings.refuseAlike(set.keys, schema.fields.map(_.name))
      SettledColumns.check(ColumnSettings.of(set), location.uri, schema)
    }
  }

  def isOfProperty(change: TableChange): Boolean = change match {
    case _: SetProperty | _: RemoveProperty => true
    case _ => false
  }

  private def unsupported(what: String) = new UnsupportedLanceFeatureException(s"ALTER TABLE with $what")
}
