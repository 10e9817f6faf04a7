package io.sparklance.spark.table

import org.apache.spark.sql.connector.catalog.Table

/** A Lance table that cannot be used. */
private[spark] trait BrokenTable extends Table {
  def failure: Throwable
}
