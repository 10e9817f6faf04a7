package io.sparklance.spark.write

import org.apache.spark.sql.connector.catalog.Table

/** Tables of a MERGE.
  *
  * @param target
  *   a version, whose commit has the options of the epoch
  * @param rows
  *   the rows of the epoch
  */
final private[spark] case class UpsertTables(target: Table, rows: Table)
