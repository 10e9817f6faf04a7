package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.{Identifier, SupportsNamespaces}

/** The new name in `ALTER TABLE … RENAME TO`. Spark hands it on as it is written. */
private[spark] object NewName {

  /** Completes a name of one part with the table's namespace, and takes the catalog's name off a longer one,
    * unless a namespace has that name.
    */
  def of(catalog: SupportsNamespaces, from: Identifier, to: Identifier): Identifier = to.namespace match {
    case Array() => Identifier.of(from.namespace, to.name)
    case Array(first, rest @ _*) if first == catalog.name && !catalog.namespaceExists(Array(first)) =>
      Identifier.of(rest.toArray, to.name)
    case _ => to
  }
}
