package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.{ColumnSettings, TableProperties}
import io.sparklance.spark.schemachange.PropertyChanges
import io.sparklance.table.transaction.Operation

/** Properties of tables in catalogs that keep none: the table itself keeps them, from its first version on.
  */
private[spark] object OwnProperties {

  def ofNew(request: TableRequest): Option[Operation.UpdateConfig] = of(asked(request))

  /** Replaces the old table's properties, except those that the format and other software keep in its config.
    */
  def replacing(old: Dataset, request: TableRequest): Option[Operation.UpdateConfig] = {
    val wanted = asked(request)
    val before = old.tableMetadata.keySet ++ old.config.keySet.filter(TableProperties.isWriteOption)
    val dropped = (before -- wanted.map(_.property)).toSeq.map(TableChange.removeProperty)
    of(dropped ++ wanted)
  }

  private def of(changes: Seq[TableChange]): Option[Operation.UpdateConfig] =
    Option.when(changes.nonEmpty)(PropertyChanges.operation(changes))

  /** Returns the requested properties, except those of columns, which field metadata keep. */
  private def asked(request: TableRequest): Seq[TableChange.SetProperty] = {
    val own = request.ownProperties.filterNot(property => ColumnSettings.isSetting(property._1))
    (own ++ TableRequest.comment(request.properties)).toSeq.map { case (key, value) =>
      TableChange.setProperty(key, value).asInstanceOf[TableChange.SetProperty]
    }
  }
}
