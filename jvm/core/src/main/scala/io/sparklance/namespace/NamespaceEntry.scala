package io.sparklance.namespace

/** A namespace or a table, by the parts of its name. */
sealed trait NamespaceEntry {
  def path: Vector[String]
}

object NamespaceEntry {

  /** @param properties what was said of it */
  final case class Namespace(path: Vector[String], properties: Map[String, String]) extends NamespaceEntry

  /** @param location its directory, relative to that of all */
  final case class Table(path: Vector[String], location: String, properties: Map[String, String])
      extends NamespaceEntry
}
