package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{ColumnChange, RemoveProperty, SetProperty}

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.history.AlterStatement
import io.sparklance.spark.options.{ColumnSettings, SettledColumns, TableProperties}
import io.sparklance.spark.schemachange.{AlterTableCommit, PropertyChanges, SparkColumnChanges}
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
    } else if (properties.nonEmpty) {
      checkProperties(location, properties)
      val statement = AlterStatement.ofProperties(properties)
      AlterTableCommit.properties(location, statement, PropertyChanges.operation(properties))
    }
  }

  def checkProperties(location: TableLocation, changes: Seq[TableChange]): Unit = {
    val set = changes.collect { case set: SetProperty => set.property -> set.value }.toMap
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
