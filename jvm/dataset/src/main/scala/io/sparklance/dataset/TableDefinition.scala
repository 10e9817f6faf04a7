package io.sparklance.dataset

import io.sparklance.data.FileVersion
import io.sparklance.schema.LanceSchema
import io.sparklance.table.RowIdentity
import io.sparklance.table.transaction.Operation

/** A table to be created, or to replace an existing one: everything but its rows.
  *
  * @param fileVersion
  *   format version of its data files
  * @param config
  *   entries added to the table's config
  * @param settings
  *   other changes of the config and of the table's metadata
  */
final case class TableDefinition(
    schema: LanceSchema,
    fileVersion: FileVersion,
    identity: RowIdentity = RowIdentity.Address,
    config: Map[String, String] = Map.empty,
    settings: Option[Operation.UpdateConfig] = None
)
