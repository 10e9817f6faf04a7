package io.sparklance.dataset.scan

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, FileVersion, Fixed64Block, RowRanges}
import io.sparklance.dataset.compaction.{Compaction, CompactionOptions, GroupRewriter}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.dataset.write.{FragmentWriter, RewriteSettings}
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.{FeatureFlags, Manifest, ManifestCodec, ManifestNaming, Versions, WriteId}
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.MemoryStore
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A table of pylance that tests/golden/tables.py made: the first fragment has its rows' ids and versions in
  * hidden columns.
  */
class HiddenLineageSuite extends AnyFunSuite {
  private val root = Paths.get("tests/golden/tables/spilled_2.2").toAbsolutePath

  private def copied(): MemoryStore = {
    val store = new MemoryStore
    Using.resource(Files.walk(root))(_.iterator.asScala.filter(Files.isRegularFile(_)).foreach { file: Path =>
      store.put(s"/t/${root.relativize(file)}", Files.readAllBytes(file))
    })
    store
  }

  private def table(): Dataset = Dataset.open(copied(), "/t")

  private def values(table: Dataset, columns: MetadataColumn*): Vector[Vector[Long]] =
    values(table, SplitTarget.Rows(Long.MaxValue), columns)

  private def values(
      table: Dataset,
      target: SplitTarget,
      columns: Seq[MetadataColumn]
  ): Vector[Vector[Long]] =
    ScanPlan.splits(table, columns.map(_.field).toVector, target).flatMap { split =>
      Using.resource(new SplitReader(table.store, split, 7)) { reader =>
        Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
          reader.columns.map(longs(_, reader.rowCount)).transpose
        }.toVector
      }
    }

  private def longs(column: Column, count: Int): Vector[Long] = column.values match {
    case block: Fixed64Block => block.values.take(count).toVector
    case other => fail(s"no numbers: $other")
  }

  private val lineage = Seq(
    MetadataColumn.RowId,
    MetadataColumn.RowCreatedAtVersion,
    MetadataColumn.RowLastUpdatedAtVersion
  )

  /** The values that pylance reads. */
  private val expected: Vector[Vector[Long]] = {
    val kept = (0L until 40L).filterNot(i => i % 7 == 3 || i % 5 == 1 || i == 4).map(Vector(_, 1L, 1L))
    val changed = Seq(1L, 6L, 16L, 21L, 26L, 36L).map(Vector(_, 1L, 4L))
    (kept ++ changed ++ (40L to 43L).map(Vector(_, 7L, 7L))).toVector
  }

  private def hides(table: Dataset): Boolean =
    FeatureFlags.isSet(table.manifest.message.readerFeatureFlags, FeatureFlags.HiddenLineage) &&
      FeatureFlags.isSet(table.manifest.message.writerFeatureFlags, FeatureFlags.HiddenLineage)

  test("ids and versions of rows come from hidden columns as from the manifest") {
    val dataset = table()
    assert(hides(dataset) && values(dataset, lineage: _*) == expected)
    val addresses = dataset.addressesOf(MetadataColumn.RowId, RowRanges.ofRows(Array(16L, 41L)))
    val ids = values(dataset, MetadataColumn.RowId, MetadataColumn.RowAddr)
    assert(addresses.count == 2 &&
      ids.filter(row => addresses.contains(row(1))).map(_.head) == Vector(16, 41))
  }

  test("tasks read them, each those of its rows, and planning reads nothing") {
    val store = copied()
    val dataset = Dataset.open(store, "/t")
    store.forgetReads()
    val splits = ScanPlan.splits(dataset, lineage.map(_.field).toVector, SplitTarget.Rows(5))
    assert(store.reads.isEmpty && splits.size > 5 && splits.head.tasks.forall(_.numbers.isEmpty))
    assert(values(dataset, SplitTarget.Rows(5), lineage) == expected)
  }

  test("they are kept when rows are added and deleted") {
    val dataset = table()
    val address = values(dataset, MetadataColumn.RowAddr).head.head
    val deleted =
      dataset.commit(RowOperations.delete(dataset, RowRanges.ofRows(Array(address)), "one")).dataset
    val grown = deleted.append(Vector(written("more", 3)))
    assert(hides(grown) && grown.manifest.message.nextRowId == 48)
    val kept =
      grown.commit(RowOperations.delete(grown, RowRanges(RowAddress.ofFragment(7, 3)), "the new ones"))
    assert(values(kept.dataset, lineage: _*) == expected.tail)
  }

  test("compaction puts them into the manifest, and no flag speaks of hidden columns any more") {
    val dataset = table()
    val options = CompactionOptions(targetRowsPerFragment = 1000)
    val plan = Compaction.plan(dataset, options)
    val done = plan.groups.zip(Compaction.tasks(plan, options, WriteId.random())).map { case (group, task) =>
      group.into(new GroupRewriter(dataset.store, "/t", task, RewriteSettings(1 << 20), _ => ()).run())
    }
    val compacted = Compaction.commit(dataset, done).dataset
    assert(!hides(compacted) && compacted.fragments.size == 1 && values(compacted, lineage: _*) == expected)
  }

  test("rows of such a table are not changed: where they were made would have to be looked up") {
    val dataset = table()
    val moved = MovedRows(written("moved", 1), Array(0L))
    val address = values(dataset, MetadataColumn.RowAddr).head
    val operation = RowOperations.update(dataset, RowRanges.ofRows(address.toArray), Vector(moved))
    val e = intercept[UnsupportedLanceFeatureException](dataset.commit(operation))
    assert(e.getMessage.contains("whose row ids are in hidden columns"))
    assert(Dataset.open(dataset.store, "/t").version == dataset.version)
  }

  /** The error about ids when the manifest describes the first file differently. */
  private def reason(change: pb.DataFile => pb.DataFile): String = reason(copied())(change)

  private def reason(store: MemoryStore)(change: pb.DataFile => pb.DataFile): String = {
    val message = Dataset.open(store, "/t").manifest.message
    val head = message.fragments.head
    val lying = message.copy(fragments = head.copy(files = head.files.map(change)) +: message.fragments.tail)
    val path = new Versions(store, "/t").path(message.version, ManifestNaming.V2)
    store.put(path, ManifestCodec.encode(Manifest(lying), None, txn.Transaction(uuid = "u")))
    intercept[LanceFormatException](values(Dataset.open(store, "/t"), MetadataColumn.RowId)).getMessage
  }

  test("a hidden column that is missing, or not one of numbers, is bad data") {
    assert(reason(f => f.copy(fields = Seq(0, 1, -2, -4, -5))).contains("which none of its files has"))
    assert(
      reason(f => f.copy(columnIndices = Seq(0, 1, -1, 3, 4))).contains("names no column for its _rowid")
    )
    assert(reason(f => f.copy(columnIndices = Seq(0, 1, 9, 3, 4))).contains("column"))
    assert(reason(f => f.copy(columnIndices = Seq(0, 1, 1, 3, 4))).nonEmpty)
    assert(reason(f => f.copy(path = "none.lance")).nonEmpty)
  }

  test("ids that are null or below zero are bad data") {
    val field = Field(0, "id", LogicalType.Integer(64, signed = true), nullable = true)
    Seq("null" -> None, "18446744073709551615 of some row" -> Some(-1L)).foreach { case (shown, id) =>
      val store = copied()
      val rows = Dataset.open(store, "/t").fragments.head.physicalRows.getOrElse(0L)
      val writer = new FragmentWriter(store, "/t", LanceSchema(Vector(field)), FileVersion.V2_2)
      (0L until rows).foreach { _ =>
        val column = writer.columns.head
        id.fold(column.appendNulls(1)) { value =>
          column.values match {
            case block: Fixed64Block => block.append(value)
            case other => fail(s"no numbers: $other")
          }
          column.nulls.appendValid(1)
        }
        writer.rowWritten()
      }
      val file = writer.finish()
      val lie = reason(store) { old =>
        old.copy(path = file.fileName, fileSizeBytes = file.sizeBytes, columnIndices = old.fields.map(_ => 0))
      }
      assert(lie.contains("_rowid") && lie.contains(shown) && lie.contains(file.fileName))
    }
  }
}
