package io.sparklance.file

import java.nio.file.attribute.FileTime
import java.nio.file.{Files => JFiles, Path}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, FileVersion, RowRange, Slice}
import io.sparklance.io.{FileStamp, LocalStore, ObjectStore, ReadableFile}
import io.sparklance.schema.LogicalType.Integer
import io.sparklance.testkit.{DelegatingFile, DelegatingStore, Files, MemoryStore, RandomColumns, Scans}

class MetadataCacheSuite extends AnyFunSuite {
  private def counts = new ScanCounts

  /** Gives each file a stamp that no other has. */
  private def stamped(inner: ObjectStore, name: String): ObjectStore = new DelegatingStore(inner) {
    override def open(path: String, knownSize: Option[Long]): ReadableFile =
      new DelegatingFile(super.open(path, knownSize)) {
        override def stamp: Option[FileStamp] = Some(FileStamp(name, this.path, size, 0))
      }
  }

  private def file(content: Array[Byte], name: String): (MemoryStore, ReadableFile) = {
    val store = new MemoryStore
    store.put("f", content)
    (store, stamped(store, name).open("f"))
  }

  test("metadata that was read is not read again") {
    val counts = new ScanCounts
    val cache = new MetadataCache(1 << 20)
    val (store, opened) = file(Array.tabulate(100)(_.toByte), "once")
    val ranges = Vector(ByteRange(10, 5), ByteRange(90, 10))
    val first = cache.read(opened, ranges, counts).map(_.toArray.toVector)
    store.forgetReads()
    assert(cache.read(opened, ranges.reverse, counts).map(_.toArray.toVector) == first.reverse)
    assert(store.reads.isEmpty)
    assert(cache.read(opened, ranges :+ ByteRange(0, 1), counts).last.toArray.toVector == Vector[Byte](0))
    assert(store.reads == Vector(ByteRange(0, 1)))
    assert(counts.cacheHits == 4 && counts.cacheMisses == 3)
  }

  test("no more bytes are kept than should be: those that were used last") {
    val cache = new MetadataCache(3000)
    val (store, opened) = file(new Array[Byte](100000), "bound")
    def read(at: Int): Unit = { val _ = cache.read(opened, Vector(ByteRange(at.toLong, 500)), counts) }
    for (at <- 0 until 20) read(at * 1000)
    assert(cache.size <= 3000 && cache.size > 1500)
    store.forgetReads()
    read(18000)
    read(19000)
    assert(store.reads.isEmpty)
    read(0)
    read(18000)
    assert(store.reads.size == 1)
    val _ = cache.read(opened, Vector(ByteRange(0, 50000)), counts)
    assert(cache.size <= 3000)
  }

  test("the cache shrinks when a read says so, and keeps no index structure that would fill it") {
    val cache = new MetadataCache(1 << 20)
    val (_, opened) = file(new Array[Byte](100000), "shrinking")
    for (at <- 0 until 20) cache.read(opened, Vector(ByteRange(at * 1000L, 1000)), counts)
    cache.limit(4000)
    assert(cache.size <= 4000 && cache.find(opened, ByteRange(19000, 1000)).isDefined)
    assert(cache.find(opened, ByteRange(0, 1000)).isEmpty)
    cache.keep(opened, ByteRange(0, 1000), Slice(new Array[Byte](1000)))
    assert(cache.find(opened, ByteRange(0, 1000)).isEmpty)
    cache.keep(opened, ByteRange(0, 100), Slice(new Array[Byte](100)))
    assert(cache.find(opened, ByteRange(0, 100)).isDefined)
  }

  test("a file without a stamp is read each time") {
    val cache = new MetadataCache(1 << 20)
    val store = new MemoryStore
    store.put("f", new Array[Byte](10))
    for (_ <- 0 until 2) cache.read(store.open("f"), Vector(ByteRange(0, 10)), counts)
    assert(store.reads.size == 2 && cache.size == 0)
  }

  test("a file is opened and described without a read if another task did so before") {
    val memory = new MemoryStore
    val fields = RandomColumns.fields(Vector.fill(3)(Integer(64, signed = true)))
    val written =
      Files.write(memory, "f", fields, FileVersion.V2_2, Vector(500), RandomColumns.Anything, 0, 1)
    val store = stamped(memory, getClass.getName)
    assert(Scans.read(store, "f") == written)
    val before = memory.reads.size
    memory.forgetReads()
    assert(Scans.read(store, "f") == written)
    assert(memory.reads.size == before - 1)
  }

  test("a local file that takes the place of one of the same size is read as what it is") {
    val directory = JFiles.createTempDirectory("sparklance")
    val path = s"$directory/f"
    val fields = RandomColumns.fields(Vector(Integer(64, signed = true)))
    def write(rows: Vector[Int], seed: Long): Map[String, Vector[String]] =
      Files.write(LocalStore, path, fields, FileVersion.V2_2, rows, RandomColumns.Anything, 0, seed)
    try {
      val first = write(Vector(100, 200), 1)
      assert(Scans.read(LocalStore, path) == first)
      val size = JFiles.size(Path.of(path))
      val second = write(Vector(100, 200), 2)
      assert(JFiles.size(Path.of(path)) == size && second != first)
      JFiles.setLastModifiedTime(Path.of(path), FileTime.fromMillis(12345))
      assert(Scans.read(LocalStore, path) == second)
    } finally {
      JFiles.delete(Path.of(path))
      JFiles.delete(directory)
    }
  }

  test("of ten thousand columns three are opened and planned by a few reads of less than a megabyte") {
    val store = new MemoryStore
    val fields = RandomColumns.fields(Vector.fill(10000)(Integer(32, signed = true)))
    Files.write(store, "wide", fields, FileVersion.V2_2, Vector(3), RandomColumns.Anything, 0, 1)
    store.forgetReads()
    Using.resource(FileReader.open(store, "wide", None)) { reader =>
      val requests = Vector(5, 5000, 9999).map(i => ColumnRequest(i, fields(i)))
      val scan = reader.scan(requests, RowRange(0, 3), 3)
      assert(store.reads.map(_.length).sum < (1 << 20), store.reads)
      assert(store.reads.size <= 8, store.reads)
      assert(scan.fill(3) == 3)
    }
  }
}
