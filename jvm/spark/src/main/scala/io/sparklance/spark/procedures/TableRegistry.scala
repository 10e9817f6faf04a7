package io.sparklance.spark.procedures

import org.apache.spark.sql.connector.catalog.Identifier

/** A catalog in which existing tables are given names, and lose them. No file of the table changes. */
private[spark] trait TableRegistry {

  /** Gives the table at a location a name, and returns the location. */
  def register(table: Identifier, location: String): String

  /** Removes a name, and returns its location; None if the name does not exist. */
  def deregister(table: Identifier): Option[String]
}
