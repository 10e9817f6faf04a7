package io.sparklance.spark.schemachange

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}

import io.sparklance.table.transaction.{KeyChanges, Operation}

/** Properties that the table itself keeps: those of the format in its config, where all writers look them up,
  * and all others in its metadata.
  */
private[spark] object PropertyChanges {
  private val ConfigPrefix = "lance."

  /** Returns one operation for all changes; later changes of a key win.
    *
    * @param changes
    *   property changes only
    */
  def operation(changes: Seq[TableChange]): Operation.UpdateConfig = {
    val (config, table) = changes.collect {
      case set: SetProperty => set.property -> Option(set.value)
      case removed: RemoveProperty => removed.property -> None
    }.toMap.partition { case (key, _) => key.startsWith(ConfigPrefix) }
    def some(entries: Map[String, Option[String]]): Option[KeyChanges] =
      Option.when(entries.nonEmpty)(KeyChanges.Merging(entries))
    Operation.UpdateConfig.of(some(config), some(table))
  }
}
