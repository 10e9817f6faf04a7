package io.sparklance.spark.isolation

import io.sparklance.spark.options.{CommitOptions, Isolation}

/** The rows of its own table that a statement has read.
  *
  * @param command
  *   name of the statement
  * @param byDefault
  *   its level, unless the table or the session sets one
  */
final private[spark] case class StatementReads(command: String, phantoms: Phantoms, byDefault: Isolation) {
  def isSerializable(options: CommitOptions): Boolean =
    options.isolation.getOrElse(byDefault) == Isolation.Serializable
}
