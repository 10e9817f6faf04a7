package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{ColumnChange, RemoveProperty, SetProperty}

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.spark.history.AlterStatement
import io.sparklance.spark.options.TableProperties
import io.sparklance.spark.schemachange.{AlterTableCommit, PropertyChanges, SparkColumnChanges}
import io.sparklance.spark.session.TableLocation

/** ALTER TABLE: all changes of a statement are one version of the table, or none is made. */
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
      checkProperties(properties)
      val statement = AlterStatement.ofProperties(properties)
      AlterTableCommit.properties(location, statement, PropertyChanges.operation(properties))
    }
  }

  def checkProperties(changes: Seq[TableChange]): Unit =
    TableProperties.check(changes.collect { case set: SetProperty => set.property -> set.value }.toMap)

  def isOfProperty(change: TableChange): Boolean = change match {
    case _: SetProperty | _: RemoveProperty => true
    case _ => false
  }

  private def unsupported(what: String) = new UnsupportedLanceFeatureException(s"ALTER TABLE with $what")
}
