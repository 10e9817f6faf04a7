package io.sparklance.dataset.scan

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.ReadableFile
import io.sparklance.schema.LogicalType._
import io.sparklance.testkit.{DelegatingFile, DelegatingStore, MemoryStore}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Fragments that contradict their table, and files that must be closed. */
class BadFragmentsSuite extends AnyFunSuite with Fragments {
  test("a file of other rows than its fragment is bad data") {
    val store = new MemoryStore
    val (file, _) = write(store, fields.take(2), 100, 500)
    val shorter = task(file, fields.take(2)).copy(physicalRows = 99)
    val e = intercept[LanceFormatException](FragmentReader.open(store, shorter, 10))
    assert(e.reason == "a column of 100 rows where 99 are expected")
  }

  test("a field that no file has, of a type that cannot be read, leaves no file open") {
    val store = new MemoryStore
    val (file, _) = write(store, fields.take(1), 10, 1000)
    var opened = 0
    val counting = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        val file = super.open(path, knownSize)
        opened += 1
        new DelegatingFile(file) {
          override def close(): Unit = { opened -= 1; super.close() }
        }
      }
    }
    val unknown = fields(0).copy(id = 77, name = "s", logicalType = Unknown("union"))
    val e = intercept[UnsupportedLanceFeatureException](
      FragmentReader.open(counting, task(file, Vector(fields(0), unknown)), 10)
    )
    assert(e.feature == "type union (of column 's')" && opened == 0)
  }

  test(
    "a null where the table's schema allows none is bad data, whether it is stored or stands for a missing field"
  ) {
    val store = new MemoryStore
    val (file, _) = write(store, fields.take(1), 50, 1000)
    val strict = fields(0).copy(nullable = false)
    val reader = FragmentReader.open(store, task(file, Vector(strict)), 100)
    assert(
      intercept[LanceFormatException](
        reader.next()
      ).reason.startsWith("a null in field 'c0', whose schema does not allow nulls")
    )
    reader.close()
    val e = intercept[LanceFormatException](
      FragmentReader.open(store, task(file, Vector(strict.copy(id = 9))), 100)
    )
    assert(e.reason == "no data file has column 'c0', whose schema does not allow nulls")
  }

  test("every file is closed, even if others fail to be, and also if a later one cannot be opened") {
    val store = new MemoryStore
    val (one, _) = write(store, fields.take(1), rows = 20, maxPageBytes = 1000)
    val (two, _) = write(store, fields.slice(1, 2), rows = 20, maxPageBytes = 1000)
    val closed = Vector.newBuilder[String]
    val failing = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile =
        new DelegatingFile(super.open(path, knownSize)) {
          override def close(): Unit = {
            closed += this.path
            throw new java.io.IOException(s"cannot close ${this.path}")
          }
        }
    }
    val both = task(one, fields.take(2)).copy(files = Vector(one, two).flatMap(task(_, fields).files))
    val paths = both.files.map(_.path)
    val reader = FragmentReader.open(failing, both, 10)
    assert(reader.next())
    val e = intercept[java.io.IOException](reader.close())
    assert(closed.result().sorted == paths.sorted && e.getSuppressed.length == 1)
    closed.clear()
    store.delete(paths.last)
    val gone = intercept[LanceFormatException](FragmentReader.open(failing, both, 10))
    assert(gone.location.file.contains(paths.last) && gone.reason.contains("the file is missing"))
    assert(closed.result().toSet.subsetOf(paths.init.toSet))
  }
}
