package io.sparklance.dataset

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, LittleEndian}
import io.sparklance.file.Footer
import io.sparklance.proto.file.FileDescriptor
import io.sparklance.proto.{file, table => pb, transaction => txn}
import io.sparklance.table.transaction.BatchId
import io.sparklance.table.{Manifest, ManifestCodec}
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, UnsupportedLanceFeatureException}

class DatasetSuite extends AnyFunSuite {

  private def created(store: MemoryStore, rows: Long = 10): Dataset =
    Dataset.create(store, "/t", TableDefinition(schema, FileVersion.V2_2), Vector(written("a.lance", rows)))

  test("a table is created, appended to, overwritten, and read at each version") {
    val store = new MemoryStore
    assert(!Dataset.exists(store, "/t"))
    val first = created(store)
    assert(Dataset.exists(store, "/t"))
    val second = first.append(Vector(written("b.lance", 5), written("c.lance", 7)))
    val third = second.overwrite(schema, FileVersion.V2_1, Vector(written("d.lance", 2, FileVersion.V2_1)))
    assert(Seq(first, second, third).map(_.version) == Seq(1L, 2L, 3L))
    assert(Seq(first, second, third).map(_.countRows) == Seq(10L, 22L, 2L))
    val reopened = Dataset.open(store, "/t")
    assert(reopened.version == 3 && reopened.schema == schema && reopened.fileVersion == FileVersion.V2_1)
    assert(reopened.fragments.map(_.id) == Vector(3))
    assert(Dataset.open(store, "/t", Some(2)).countRows == 22)
    val versions = reopened.versions
    assert(versions.map(_.version) == Vector(1, 2, 3))
    assert(versions.map(_.timestamp) == versions.map(_.timestamp).sorted &&
      versions.head.timestamp == first.timestamp)
  }

  test("a write to a table opened at an old version does not pretend to be on the latest") {
    val store = new MemoryStore
    val first = created(store)
    first.append(Vector(written("b.lance")))
    assert(first.version == 1 && first.countRows == 10)
    assert(first.append(Vector(written("c.lance"))).countRows == 30)
  }

  test("a path without a table, and a missing version, are errors with a cure") {
    val store = new MemoryStore
    def message(version: Option[Long] = None) =
      intercept[LanceTableNotFoundException](Dataset.open(store, "/t", version)).getMessage
    assert(
      message() ==
        "There is no Lance table at /t: there is nothing at that path. Check the path, or create the table by writing to it."
    )
    store.put("/t", Array.emptyByteArray)
    assert(message().contains("the directory has no manifest in _versions"))
    val _ = created(store).append(Vector(written("b.lance")))
    assert(message(Some(9)).startsWith("The table at /t has no version 9: it has 1 to 2"))
    assert(message(Some(0)).contains("has no version 0"))
    assert(message(Some(-1)).contains("has no version -1"))
  }

  private def stored(message: pb.Manifest): Dataset = {
    val store = new MemoryStore
    val bytes = ManifestCodec.encode(
      Manifest(message.copy(version = 1, writerVersion = writer)),
      None,
      txn.Transaction(uuid = "u")
    )
    store.put("/t/_versions/18446744073709551614.manifest", bytes)
    store.put("/t/_deletions/0-1-2.arrow", golden("zstd.arrow"))
    Dataset.open(store, "/t")
  }

  test("an overwrite keeps the metadata of the columns, known or not") {
    def field(id: Int, parent: Int, name: String, kind: String) = file.Field(
      name = name,
      id = id,
      parentId = parent,
      logicalType = kind,
      nullable = true,
      unenforcedPrimaryKey = name == "id",
      unenforcedPrimaryKeyPosition = if (name == "id") 1 else 0,
      metadata = Map("note" -> ByteString.copyFromUtf8(name)),
      unknownFields = unknownFields
    )
    // Of a struct whose last field was added later.
    val fields = Seq(field(3, -1, "s", "struct"), field(4, 3, "a", "int32"), field(7, -1, "id", "int32"))
    val late = field(9, 3, "b", "string")
    val metadata = Map("owner" -> ByteString.copyFromUtf8("me"))
    val before = stored(pb.Manifest(fields = fields :+ late, schemaMetadata = metadata))
    val message = before.commit(before.refilling(Vector(written("a.lance")))).dataset.manifest.message
    assert(message.fields.map(f => (f.name, f.id, f.parentId)) ==
      Seq(("s", 0, -1), ("a", 1, 0), ("b", 2, 0), ("id", 3, -1)))
    assert(message.fields.sortBy(_.name).map(_.copy(id = 0, parentId = 0)) ==
      (fields :+ late).sortBy(_.name).map(_.copy(id = 0, parentId = 0)))
    assert(message.schemaMetadata == metadata && message.fragments.size == 1)
  }

  test("a commit is logged in one line") {
    val store = new MemoryStore
    val table = created(store)
    val batch = BatchId("job", 1).properties
    val operation = Dataset.appending(Vector(written("b.lance", 5), written("c.lance", 7)))
    val first = table.commit(operation, batch)
    assert(CommitLog.line("/t", operation, first.commit, 3) ==
      "committed version 2 of /t: Append, 2 files, 12 rows, 2000 bytes; attempts 1, 3 ms")
    val second = table.commit(operation, batch)
    assert(second.dataset.version == 1)
    assert(CommitLog.line("/t", operation, second.commit, 3) ==
      "committed nothing to /t: Append of a batch that version 2 has already; 3 ms")
  }

  test("an unknown reader flag keeps the table from being opened") {
    val e = intercept[UnsupportedLanceFeatureException](stored(pb.Manifest(readerFeatureFlags = 64)))
    assert(e.getMessage.contains("bit 6 (data overlay files)"))
  }

  test("deleted rows do not count, whether the manifest records their number or not") {
    val deletion = pb.DeletionFile(readVersion = 1, id = 2)
    val told = fragment("a", 100).message.copy(deletionFile = Some(deletion.copy(numDeletedRows = 4)))
    val untold = fragment("a", 100).message.copy(deletionFile = Some(deletion))
    assert(stored(pb.Manifest(fragments = Seq(told))).countRows == 96)
    assert(stored(pb.Manifest(fragments = Seq(untold))).countRows == 96)
  }

  test("row counts that are absent or absurd") {
    def countRows(rows: Long) = stored(pb.Manifest(fragments = Seq(fragment("a", rows).message))).countRows
    // Then the file tells.
    assert(intercept[LanceFormatException](countRows(0)).getMessage.contains("file /t/data/a"))
    assert(intercept[LanceFormatException](countRows(-5)).getMessage.contains("claims -5 rows"))
    assert(
      intercept[LanceFormatException](countRows((1L << 32) + 1)).getMessage.contains("claims 4294967297 rows")
    )
    assert(countRows(1L << 32) == 1L << 32)
  }

  test("row counts that only a file records, and absurd ones") {
    for (rows <- Seq(-5L, (1L << 32) + 1)) {
      val store = new MemoryStore
      val manifest = Manifest(pb.Manifest(version = 1, fragments = Seq(fragment("a", 0).message)))
      store.put(
        "/t/_versions/18446744073709551614.manifest",
        ManifestCodec.encode(manifest, None, txn.Transaction(uuid = "u"))
      )
      store.put("/t/data/a", fileOf(rows))
      val table = Dataset.open(store, "/t")
      val error = intercept[LanceFormatException](table.countRows)
      assert(error.getMessage.contains(s"file /t/data/a claims $rows rows"))
    }
  }

  /** A file without columns that claims `rows` rows. */
  private def fileOf(rows: Long): Array[Byte] = {
    val schema = FileDescriptor(length = rows).toByteArray
    val end = schema.length.toLong
    val table = new Array[Byte](16)
    LittleEndian.putLong(table, 8, end)
    schema ++ table ++ Footer(end, end, end, globalBuffers = 1, columns = 0, FileVersion.V2_2).print
  }
}
