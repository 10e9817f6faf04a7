package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange

import io.sparklance.dataset.Dataset
import io.sparklance.spark.columns.PropertyChanges
import io.sparklance.spark.{ColumnSettings, TableLocation, TableProperties}

/** Properties of a table that is made in a catalog which keeps none: the table keeps them itself, by a version that follows the
  * one that makes it.
  */
final private class OwnProperties(
    location: TableLocation,
    changes: Seq[TableChange],
    around: StagedLanceTable.Aside
) extends StagedLanceTable.Aside {
  def settle(): Unit = {
    around.settle()
    val _ = Dataset.open(location.store, location.root).commit(PropertyChanges.operation(changes))
  }
  def undo(): Unit = around.undo()
}

private[spark] object OwnProperties {

  def ofNew(
      location: TableLocation,
      request: TableRequest,
      around: StagedLanceTable.Aside
  ): StagedLanceTable.Aside = of(location, asked(request), around)

  /** Those of the old table go, but for what the format and other software keep in its config. */
  def replacing(location: TableLocation, old: Dataset, request: TableRequest): StagedLanceTable.Aside = {
    val wanted = asked(request)
    val before = old.tableMetadata.keySet ++ old.config.keySet.filter(TableProperties.isWriteOption)
    val dropped = (before -- wanted.map(_.property)).toSeq.map(TableChange.removeProperty)
    of(location, dropped ++ wanted, StagedLanceTable.Nothing)
  }

  private def of(
      location: TableLocation,
      changes: Seq[TableChange],
      around: StagedLanceTable.Aside
  ): StagedLanceTable.Aside = if (changes.isEmpty) around else new OwnProperties(location, changes, around)

  /** What is said of columns, their own metadata keeps. */
  private def asked(request: TableRequest): Seq[TableChange.SetProperty] = {
    val own = request.ownProperties.filterNot(property => ColumnSettings.isSetting(property._1))
    (own ++ TableRequest.comment(request.properties)).toSeq.map { case (key, value) =>
      TableChange.setProperty(key, value).asInstanceOf[TableChange.SetProperty]
    }
  }
}
