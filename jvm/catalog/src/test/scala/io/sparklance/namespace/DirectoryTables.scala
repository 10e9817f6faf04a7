package io.sparklance.namespace

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Tables in directories of a memory store. */
trait DirectoryTables {
  protected val columns = WriteSchema.forNewTable(
    LanceSchema(Vector(Field(LanceSchema.NoId, "a", LogicalType.Integer(32, signed = true), nullable = true)))
  )

  protected def make(store: ObjectStore, root: String): Unit = {
    val _ = Dataset.create(store, root, TableDefinition(columns, FileVersion.V2_2), Vector.empty)
  }

  protected def made(directory: TableDirectory, store: ObjectStore, table: TableName): String = {
    val place = directory.place(table).place.root
    make(store, place)
    directory.enter(table, place)
    place
  }

  /** Location of a table that has a version. */
  protected def madeAt(directory: TableDirectory, table: TableName): Option[String] =
    directory.find(table).collect { case FoundTable.Made(place) => place.root }

  protected def name(parts: String*): TableName = TableName(parts.init.toVector, parts.last)
}
