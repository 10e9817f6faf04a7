package io.sparklance.dataset.blob

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{FileSource, FragmentReader, FragmentTask}
import io.sparklance.dataset.write.{FragmentWriter, WriteSchema, WrittenFile}
import io.sparklance.schema.{BlobVersion, Field, LanceSchema, LogicalType}
import io.sparklance.table.WriteId
import io.sparklance.testkit.MemoryStore

/** Blobs that are written come back, from wherever they went. */
class BlobWriterSuite extends AnyFunSuite {
  private val sizes =
    Vector(Some(3), None, Some(0), Some(10), Some(11), Some(100), Some(101), Some(60), None, Some(5))
  private val rows = sizes.zipWithIndex.map { case (size, i) => size.map(Vector.fill(_)(i.toByte)) }
  private val thresholds = Map("inline" -> "10", "dedicated" -> "100", "pack-file" -> "150").map {
    case (what, bytes) => s"lance-encoding:blob-$what-size-threshold" -> bytes
  }

  private def schema(version: FileVersion, metadata: Map[String, String] = thresholds): LanceSchema = {
    val blob = Field(
      -1,
      "b",
      LogicalType.Binary(large = true),
      nullable = true,
      metadata = metadata + (BlobVersion.V1Key -> "true")
    )
    WriteSchema.forVersion(LanceSchema(Vector(blob)), version)
  }

  private def writer(
      store: MemoryStore,
      schema: LanceSchema,
      version: FileVersion,
      write: WriteId
  ): FragmentWriter = {
    val writer = new FragmentWriter(store, "/t", schema, version, maxPageBytes = 100, write = write)
    val (field, column) = (schema.fields.head, writer.columns.head)
    val blobs = writer.blobs(field, column)
    rows.foreach { row =>
      row.fold(column.appendNulls(1)) { bytes =>
        blobs.append(bytes.toArray)
        column.nulls.appendValid(1)
      }
      writer.rowWritten()
    }
    writer
  }

  private def read(
      store: MemoryStore,
      schema: LanceSchema,
      file: WrittenFile
  ): Vector[Option[Vector[Byte]]] = {
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    val task =
      FragmentTask(0, Vector(source), file.rows, None, RowRanges(0, file.rows), schema.fields)
    Using.resources(FragmentReader.open(store, task, 1000), new BlobReader(_ => store, schema.fields.head)) {
      (reader, blobs) =>
        assert(reader.next() && reader.rowCount == rows.size)
        val column = reader.columns.head
        blobs.show(task, column.values)
        rows.indices.toVector.map(i => Option.unless(column.nulls.isNull(i))(blobs.bytes(i).toVector))
    }
  }

  private def besides(store: MemoryStore): Vector[String] = store.paths.filter(_.endsWith(".blob"))

  for (version <- FileVersion.writable)
    test(s"blobs come back from $version, page after page, by the sizes that the metadata names") {
      val store = new MemoryStore
      val file = writer(store, schema(version), version, WriteId.random()).finish()
      assert(read(store, schema(version), file) == rows)
      val beside = besides(store).map(store.bytes(_).length).sorted
      assert(beside == (if (version == FileVersion.V2_2) Vector(101, 111, 60).sorted else Vector.empty))
    }

  test("files beside have the bits of their number, lowest first, as names") {
    val store = new MemoryStore
    val file = writer(store, schema(FileVersion.V2_2), FileVersion.V2_2, WriteId.random()).finish()
    val names = Seq("1" + "0" * 31, "01" + "0" * 30, "11" + "0" * 30)
    val directory = s"/t/data/${file.fileName.stripSuffix(".lance")}"
    assert(besides(store) == names.map(name => s"$directory/$name.blob").sorted)
  }

  test("nothing is left of a file that is given up, nor of a write whose files are removed") {
    val (store, write) = (new MemoryStore, WriteId.random())
    writer(store, schema(FileVersion.V2_2), FileVersion.V2_2, write).abort()
    assert(store.paths.isEmpty)
    val kept = writer(store, schema(FileVersion.V2_2), FileVersion.V2_2, write).finish()
    val other = writer(store, schema(FileVersion.V2_2), FileVersion.V2_2, write).finish()
    assert(besides(store).size == 6)
    write.removeFiles(store, "/t", Set(kept.fileName))
    assert(read(store, schema(FileVersion.V2_2), kept) == rows && besides(store).size == 3)
    WriteId.removeFile(store, "/t", kept.fileName)
    assert(store.paths.isEmpty && other.rows == rows.size)
  }

  test("sizes in the metadata that make no sense are refused, with the column's name") {
    for ((what, text) <- Seq("inline" -> "-1", "dedicated" -> "0", "pack-file" -> "1 GB")) {
      val bad = schema(FileVersion.V2_2, Map(s"lance-encoding:blob-$what-size-threshold" -> text))
      val error = intercept[LanceUsageException] {
        writer(new MemoryStore, bad, FileVersion.V2_2, WriteId.random())
      }
      assert(error.getMessage.contains(s"column 'b' have lance-encoding:blob-$what-size-threshold = '$text'"))
    }
  }

  test("columns of bytes are blobs of version 2 in files of 2.2 only") {
    val made = FileVersion.writable.map(version => schema(version).fields.head.blobVersion)
    assert(made == Vector(Some(BlobVersion.V1), Some(BlobVersion.V1), Some(BlobVersion.V2)))
    val field = schema(FileVersion.V2_2).fields.head
    assert(field.preOrder.map(f => (f.id, f.name)) == Vector(0 -> "b", 1 -> "data", 2 -> "uri"))
    assert(field.metadata == thresholds + ("ARROW:extension:name" -> "lance.blob.v2"))
  }
}
