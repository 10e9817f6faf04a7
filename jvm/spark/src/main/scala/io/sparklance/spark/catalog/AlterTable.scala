package io.sparklance.spark.catalog

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{ColumnChange, RemoveProperty, SetProperty}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.columns.AlteredColumns
import io.sparklance.spark.columns.{ColumnChanges, PropertyChanges}
import io.sparklance.spark.{TableLocation, TableProperties}
import io.sparklance.{RetryableCommitConflictException, UnsupportedLanceFeatureException}

/** ALTER TABLE: all changes of a statement are one version of the table, or none is made. */
private[spark] object AlterTable {

  /** How often a statement is done again on what others have made of the table. */
  private val Attempts = 10

  def apply(location: TableLocation, changes: Seq[TableChange]): Unit = {
    val columns = changes.collect { case change: ColumnChange => change }
    val properties = changes.filter(isOfProperty)
    val other = changes.filterNot(change => columns.contains(change) || properties.contains(change))
    other.foreach(change => throw unsupported(change.getClass.getSimpleName))
    if (columns.nonEmpty && properties.nonEmpty) throw unsupported("columns and properties at the same time")
    if (columns.nonEmpty) attempt(location, Attempts)(alter(_, columns))
    else if (properties.nonEmpty) {
      checkProperties(properties)
      attempt(location, Attempts) { dataset =>
        val _ = dataset.commit(PropertyChanges.operation(properties))
      }
    }
  }

  def checkProperties(changes: Seq[TableChange]): Unit =
    TableProperties.check(changes.collect { case set: SetProperty => set.property -> set.value }.toMap)

  def isOfProperty(change: TableChange): Boolean = change match {
    case _: SetProperty | _: RemoveProperty => true
    case _ => false
  }

  private def alter(dataset: Dataset, changes: Seq[ColumnChange]): Unit = {
    val schema = new ColumnChanges(dataset).applied(changes)
    AlteredColumns.operation(dataset, schema).foreach(dataset.commit(_))
  }

  @tailrec
  private def attempt(location: TableLocation, left: Int)(body: Dataset => Unit): Unit =
    Try(body(Dataset.open(location.store, location.root))) match {
      case Success(_) => ()
      case Failure(_: RetryableCommitConflictException) if left > 1 => attempt(location, left - 1)(body)
      case Failure(e) => throw e
    }

  private def unsupported(what: String) = new UnsupportedLanceFeatureException(s"ALTER TABLE with $what")
}
