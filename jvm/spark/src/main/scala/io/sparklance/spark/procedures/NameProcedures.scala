package io.sparklance.spark.procedures

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException

/** Procedures that give and remove the names of existing tables. */
private[procedures] object NameProcedures {
  private val location = Parameter.text("location")

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure(
      "register_table",
      "Gives an existing table a name in the procedure's catalog.",
      Vector(location),
      "location STRING NOT NULL"
    )(registerTable),
    LanceProcedure(
      "deregister_table",
      "Removes a table's name from the procedure's catalog, and keeps its files.",
      Vector.empty,
      "location STRING NOT NULL"
    )(deregisterTable)
  )

  private def registerTable(arguments: Arguments): Iterator[Seq[Any]] = {
    val (registry, table) = arguments.newName
    Iterator(Seq(registry.register(table, arguments(location))))
  }

  private def deregisterTable(arguments: Arguments): Iterator[Seq[Any]] = {
    val (registry, table) = arguments.newName
    Iterator(Seq(registry.deregister(table).getOrElse(throw new NoSuchTableException(table))))
  }
}
