package io.sparklance.dataset.write

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.{ObjectStore, WritableFile}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId
import io.sparklance.testkit.{DelegatingStore, MemoryStore, RandomColumns}

class ColumnGroupsSuite extends AnyFunSuite {
  private val fields = RandomColumns.fields(RandomColumns.types).take(6)
  private val schema = LanceSchema(fields)
  private val names = fields.map(_.name)

  private def writer(store: ObjectStore, groups: ColumnGroups): FragmentWriter =
    new FragmentWriter(
      store,
      "/t",
      schema,
      DataFileFormat(FileVersion.V2_2, groups = groups),
      WriteId.random(),
      FileLimits.none
    )

  private def fill(writer: FragmentWriter, rows: Int): Unit = {
    writer.columns.zip(fields).foreach { case (column, field) =>
      RandomColumns.fill(column, field, rows, RandomColumns.Anything, 0.2, new Random(7))
    }
    writer.rowsWritten(rows)
  }

  test("each group has a file, and all other columns share the first") {
    val store = new MemoryStore
    val groups = ColumnGroups(Vector(Vector(names(4), names(1)), Vector(names(2))))
    val open = writer(store, groups)
    fill(open, 100)
    assert(open.fileCount == 3)
    val file = open.finish()
    assert(file.all.map(_.fieldIds) ==
      Vector(Vector(0, 3, 5), Vector(1, 4), Vector(2)).map(_.map(fields(_).id)))
    assert(file.all.map(_.columnIndices) == Vector(Vector(0, 1, 2), Vector(0, 1), Vector(0)))
    assert(file.all.forall(_.rows == 100) && store.paths.size == 3)
    val dataset = Dataset.create(store, "/t", TableDefinition(schema, FileVersion.V2_2), Vector(file))
    assert(dataset.fragments.map(_.files.size) == Vector(3) && dataset.countRows == 100)
  }

  test("if groups name all columns, there is no other file") {
    val store = new MemoryStore
    val open = writer(store, ColumnGroups(names.map(Vector(_))))
    fill(open, 10)
    assert(open.finish().all.map(_.fieldIds) == fields.map(field => Vector(field.id)))
  }

  test("an aborted write, and one whose last file cannot be created, leave no file") {
    val store = new MemoryStore
    val open = writer(store, ColumnGroups(Vector(Vector(names(1)))))
    fill(open, 10)
    open.abort()
    assert(store.paths.isEmpty)
    var created = 0
    val full = new DelegatingStore(store) {
      override def create(path: String) = {
        created += 1
        if (created == 3) throw new java.io.IOException("full") else store.create(path)
      }
    }
    intercept[java.io.IOException](writer(full, ColumnGroups(Vector(Vector(names(1)), Vector(names(2))))))
    assert(store.paths.isEmpty)
  }

  test("an abort after one of several files was finished removes that, too") {
    val store = new MemoryStore
    val failing = new DelegatingStore(store) {
      private var created = 0
      override def create(path: String) = {
        created += 1
        val file = store.create(path)
        if (created < 2) file
        else new WritableFile {
          def path: String = file.path
          def stream = file.stream
          def commit(): Unit = throw new java.io.IOException("full")
          def abort(): Unit = file.abort()
        }
      }
    }
    val open = writer(failing, ColumnGroups(Vector(Vector(names(1)))))
    fill(open, 10)
    intercept[java.io.IOException](open.finish())
    assert(store.paths.size == 1)
    open.abort()
    assert(store.paths.isEmpty)
  }
}
