package io.sparklance.spark.schemachange

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}

import io.sparklance.table.transaction.{KeyChanges, Operation}

/** Properties of a table that the table itself keeps: those of the format in its config, where all software
  * that writes to it looks them up, and all others in its metadata.
  */
private[spark] object PropertyChanges {
  private val ConfigPrefix = "lance."

  /** Later changes of a key win.
    *
    * @param changes
    *   of properties only
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
