package io.sparklance.dataset

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.io.ObjectStore
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.{DeletionFileKind, ManifestCodec, RowIdentity}
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{
  CommitConflictException,
  LanceFormatException,
  LanceUsageException,
  RetryableCommitConflictException
}

class RowOperationsSuite extends AnyFunSuite {

  /** Two fragments of ten rows. */
  private def created(store: ObjectStore, rows: Long = 10): Dataset =
    Dataset.create(
      store,
      "/t",
      TableDefinition(schema, FileVersion.V2_2),
      Vector(written("a", rows), written("b", rows))
    )

  private def rows(fragment: Long, offsets: Long*): RowRanges =
    RowRanges.ofRows(offsets.map(RowAddress.of(fragment, _)).toArray)

  private def allRows(fragment: Long, from: Long = 0): RowRanges =
    RowRanges(RowAddress.of(fragment, from), RowAddress.of(fragment, 10))

  private def deleting(table: Dataset, rows: RowRanges): Dataset =
    table.commit(RowOperations.delete(table, rows, "id > 5")).dataset

  private def deleted(table: Dataset): Map[Long, Seq[Long]] =
    table.fragments.map { f =>
      f.id -> table.deletionVector(f).toSeq.flatMap(v => (0L until 10L).filter(v.isDeleted))
    }.toMap

  private def deletionFiles(store: MemoryStore) = store.paths.filter(_.contains("/_deletions/"))

  test("rows are deleted by a file of their fragment; the next one has all that are deleted") {
    val store = new MemoryStore
    val first = deleting(created(store), rows(0, 2, 3))
    assert(deleted(first) == Map(0L -> Seq(2L, 3L), 1L -> Nil) && first.countRows == 18)
    assert(first.manifest.message.readerFeatureFlags == 1 && first.manifest.message.writerFeatureFlags == 1)
    val second = deleting(first, rows(0, 7).union(rows(1, 0)))
    assert(deleted(second) == Map(0L -> Seq(2L, 3L, 7L), 1L -> Seq(0L)) && second.countRows == 16)
    assert(second.fragments.head.deletionFile.exists(_.message.readVersion == 2))
    assert(deleted(Dataset.open(store, "/t", Some(2))) == deleted(first))
  }

  test("a fragment without a row left is no longer part of the table; its id is not used again") {
    val store = new MemoryStore
    val table = deleting(deleting(created(store), rows(1, 0, 1, 2)), allRows(1, from = 3))
    assert(table.fragments.map(_.id) == Vector(0) && table.countRows == 10)
    assert(deletionFiles(store).size == 1)
    assert(deleting(table, allRows(0)).fragments.isEmpty)
    assert(Dataset.open(store, "/t").append(Vector(written("c"))).fragments.map(_.id) == Vector(2))
  }

  test("many rows of a fragment are a bitmap") {
    val table = deleting(created(new MemoryStore, rows = 20000), RowRanges(0, 5000))
    assert(table.fragments.head.deletionFile.exists(_.kind == DeletionFileKind.Bitmap))
    assert(table.countRows == 35000)
  }

  test(
    "two deletions of different rows of one fragment both succeed, and the later one's file has the rows of both"
  ) {
    val store = new MemoryStore
    val table = created(store)
    deleting(table, rows(0, 1))
    val both = deleting(table, rows(0, 8).union(rows(1, 5)))
    assert(deleted(both) == Map(0L -> Seq(1L, 8L), 1L -> Seq(5L)) && both.version == 3)
  }

  test("two who delete the same row conflict, and the later one leaves no files") {
    val store = new MemoryStore
    val table = created(store)
    deleting(table, rows(0, 1, 2))
    val files = store.paths
    val e = intercept[CommitConflictException](deleting(table, rows(0, 2, 3)))
    assert(e.getMessage.contains("rows of fragment 0 that others deleted or changed up to version 2"))
    assert(store.paths == files)
  }

  test("a deletion from a fragment that was removed or rewritten conflicts") {
    val store = new MemoryStore
    val table = created(store)
    deleting(table, allRows(0))
    val e = intercept[CommitConflictException](deleting(table, rows(0, 2)))
    assert(e.getMessage.contains("conflicts with version 2 (Delete): both change fragment 0"))
  }

  test("deletes and appends do not hinder each other") {
    val store = new MemoryStore
    val table = created(store)
    val _ = table.append(Vector(written("c")))
    assert(deleting(table, rows(0, 2)).countRows == 29)
    assert(table.append(Vector(written("d"))).countRows == 39)
  }

  test("an update deletes rows and adds others in one version") {
    val store = new MemoryStore
    val table = created(store)
    val operation =
      RowOperations.update(table, rows(0, 1, 2), Vector(MovedRows(written("u", 2), Array.emptyLongArray)))
    deleting(table, rows(0, 9))
    val updated = table.commit(operation).dataset
    assert(updated.version == 3 && updated.countRows == 19)
    assert(deleted(updated)(0L) == Seq(1L, 2L, 9L) && updated.fragments.map(_.id) == Vector(0, 1, 2))
    val again = intercept[CommitConflictException](table.commit(operation))
    assert(again.getMessage.contains("rows of fragment 0"))
  }

  test("attempts that lose leave no files, and files of an earlier one are used again where they can be") {
    val store = new MemoryStore
    val table = created(store)
    var losses = 2
    val crowded = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean =
        if (losses == 0) store.putIfAbsent(path, bytes)
        else {
          losses -= 1
          val latest = Dataset.open(store, "/t")
          if (losses == 1) deleting(latest, rows(0, 9)) else latest.append(Vector(written("c")))
          store.putIfAbsent(path, bytes)
        }
    }
    val done = deleting(Dataset.open(crowded, "/t", Some(table.version)), rows(0, 1).union(rows(1, 1)))
    assert(done.version == 4 && deleted(done).take(2) == Map(0L -> Seq(1L, 9L), 1L -> Seq(1L)))
    // Theirs; ours of fragment 0, written again on their version; ours of fragment 1, written once.
    assert(deletionFiles(store).size == 3)
    assert(store.paths.count(_.contains("/_transactions/")) == 4)
    assert(done.fragments.take(2).flatMap(_.deletionFile).map(_.message.readVersion) == Vector(2, 1))
  }

  test("deletion files of many fragments are written at the same time, and if one fails, none is left") {
    val store = new MemoryStore
    val files = Vector.tabulate(100)(i => written(s"f$i"))
    val table = Dataset.create(store, "/t", TableDefinition(schema, FileVersion.V2_2), files)
    val wanted = RowRanges.ofRows((0L until 100L).map(f => RowAddress.of(f, f % 10)).toArray)
    val before = store.paths
    val threads = java.util.concurrent.ConcurrentHashMap.newKeySet[Thread]()
    val full = new DelegatingStore(store) {
      override def put(path: String, bytes: Array[Byte]): Unit = {
        val _ = threads.add(Thread.currentThread)
        if (path.contains("/_deletions/57-")) throw new java.io.IOException("full")
        store.put(path, bytes)
      }
    }
    intercept[java.io.IOException](deleting(Dataset.open(full, "/t"), wanted))
    assert(store.paths == before && threads.size > 1)
    val done = deleting(table, wanted)
    assert(done.fragments.map(_.id) == (0L until 100L) && deletionFiles(store).size == 100)
    assert(deleted(done) == (0L until 100L).map(f => f -> Seq(f % 10)).toMap)
  }

  test("an index of the table that is damaged keeps rows from being deleted, and is named") {
    val store = new MemoryStore
    val table = created(store)
    val damaged = pb.IndexMetadata(
      uuid = Some(pb.UUID(ByteString.copyFromUtf8("u"))),
      fragmentBitmap = ByteString.copyFromUtf8("no bitmap")
    )
    val section = pb.IndexSection(Seq(damaged)).toByteString
    val path = "/t/_versions/18446744073709551614.manifest"
    store.put(path, ManifestCodec.encode(table.manifest, Some(section), txn.Transaction(uuid = "u")))
    val e = intercept[LanceFormatException](deleting(table, rows(0, 1)))
    assert(e.reason.contains("no Roaring bitmap") && e.location.file.contains(path))
    assert(deletionFiles(store).isEmpty && Dataset.open(store, "/t").version == 1)
  }

  test("rows that do not exist cannot be deleted") {
    val table = created(new MemoryStore)
    Seq(rows(5, 1), rows(0, 3, 10), allRows(0).union(rows(1, 1000))).foreach { wanted =>
      val e = intercept[LanceUsageException](deleting(table, wanted))
      assert(e.getMessage.contains("The table at /t has no such rows in version 1"))
    }
  }

  test("stable row ids: new rows get the next ones, updated rows keep theirs and when they were made") {
    val store = new MemoryStore
    val files = Vector(written("a"), written("b"))
    val table =
      Dataset.create(
        store,
        "/t",
        TableDefinition(schema, FileVersion.V2_2, identity = RowIdentity.StableId),
        files
      )
    assert(table.hasStableRowIds && table.manifest.message.nextRowId == 20)
    val grown = table.append(Vector(written("c", 5)))
    assert(lineage(grown) == Vector((0L to 9L, 1, 1), (10L to 19L, 1, 1), (20L to 24L, 2, 2)).map {
      case (ids, made, changed) => ids.map(id => (id, made.toLong, changed.toLong))
    })
    // Rows 3 and 21 move, and one is new.
    val moved = MovedRows(written("u", 3), Array(21, 3))
    val operation = RowOperations.update(grown, rows(0, 3).union(rows(2, 1)), Vector(moved))
    table.append(Vector(written("d", 1)))
    val updated = grown.commit(operation).dataset
    assert(updated.version == 4 && updated.countRows == 27)
    assert(lineage(updated).drop(3) ==
      Vector(Seq((25L, 3L, 3L)), Seq((21L, 2L, 4L), (3L, 1L, 4L), (26L, 4L, 4L))))
    assert(updated.manifest.message.nextRowId == 27)
    assert(updated.addressesOf(MetadataColumn.RowId, RowRanges(21, 22)).contains(RowAddress.of(4, 0)))
    val emptied = updated.overwrite(schema, FileVersion.V2_2, Vector(written("e", 2)))
    assert(lineage(emptied) == Vector(Seq((27L, 5L, 5L), (28L, 5L, 5L))) && emptied.hasStableRowIds)
  }

  test("columns change in place beside deletions and new rows, and record which rows changed") {
    val store = new MemoryStore
    val files = Vector(written("a"), written("b"))
    val definition = TableDefinition(schema, FileVersion.V2_2, identity = RowIdentity.StableId)
    val table = Dataset.create(store, "/t", definition, files)
    def changing(from: Dataset, fragment: Long, deleted: RowRanges, offsets: Long*) = {
      val rows = DeletionVector.of(RowRanges.ofRows(offsets.toArray))
      val columns = Vector(ChangedColumns(fragment, written(s"now${from.version}"), rows))
      RowOperations.inPlace(from, RowSet.of(from, deleted), Vector.empty, columns, Vector(0), moves = false)
    }
    val operation = changing(table, 0, rows(0, 9).union(rows(1, 0)), 2, 3)
    deleting(table, rows(0, 1, 5))
    table.append(Vector(written("c", 1)))
    val now = table.commit(operation).dataset
    assert(deleted(now) == Map(0L -> Seq(1L, 5L, 9L), 1L -> Seq(0L), 2L -> Nil))
    assert(now.fragments.map(_.files.map(_.path)) == Vector(Vector("now1"), Vector("b"), Vector("c")))
    assert(lineage(now).head.map(_._3) == Seq(1L, 1L, 4L, 4L, 1L, 1L, 1L, 1L, 1L, 1L))
    // Rows that others have deleted or moved, and other columns of others, are conflicts.
    val files4 = store.paths
    val stale = Seq(changing(table, 0, RowRanges.empty, 5), changing(table, 0, RowRanges.empty, 7))
    stale.foreach(late => intercept[RetryableCommitConflictException](table.commit(late)))
    intercept[LanceUsageException](now.commit(changing(now, 0, RowRanges.empty, 10)))
    assert(store.paths == files4)
    val alone = changing(now, 1, RowRanges.empty, 4)
    deleting(now, rows(1, 6))
    val last = now.commit(alone).dataset
    assert(deleted(last)(1) == Seq(0L, 6L) && lineage(last)(1).map(_._3).count(_ == 6) == 1)
  }

  test("a table without stable row ids cannot be given some later") {
    val table = created(new MemoryStore)
    val operation = Dataset.replacing(
      TableDefinition(schema, FileVersion.V2_2, identity = RowIdentity.StableId),
      Vector.empty
    )
    assert(
      intercept[LanceUsageException](table.commit(operation)).getMessage.contains("without stable row ids")
    )
  }

  /** Ids of the rows of each fragment, with the versions that made and changed them. */
  private def lineage(table: Dataset): Vector[Seq[(Long, Long, Long)]] = table.fragments.map { f =>
    val columns =
      Seq(MetadataColumn.RowId, MetadataColumn.RowCreatedAtVersion, MetadataColumn.RowLastUpdatedAtVersion)
    val count = f.physicalRows.get
    val Seq(ids, made, changed) = columns.map(table.numbers(f, _).get.parse(count)): @unchecked
    (0L until count).map(row => (ids(row), made(row), changed(row)))
  }
}
