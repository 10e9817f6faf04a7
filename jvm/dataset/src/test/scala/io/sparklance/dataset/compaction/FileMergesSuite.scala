package io.sparklance.dataset.compaction

import scala.util.{Random, Using}

import com.google.protobuf.ByteString
import com.google.protobuf.any.{Any => ProtoAny}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{DataFilePages, ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.dataset.statistics.StatisticsCodec
import io.sparklance.dataset.write.{ColumnGroups, DataFileFormat, FileLimits, FragmentWriter, WrittenFile}
import io.sparklance.dataset.{Dataset, RowOperations, TableDefinition}
import io.sparklance.file.{ColumnRequest, FileReader}
import io.sparklance.io.ObjectStore
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{RowIdentity, Versions, WriteId}
import io.sparklance.testkit.{ColumnText, DelegatingStore, MemoryStore, RandomColumns}
import io.sparklance.{LanceFormatException, RetryableCommitConflictException}

class FileMergesSuite extends AnyFunSuite {
  private val leaves = RandomColumns.fields(RandomColumns.types)
  private val schema = LanceSchema(leaves)

  /** Every column in a file of its own, but the last few. */
  private val apart = ColumnGroups(leaves.dropRight(3).map(field => Vector(field.name)))
  private val options = CompactionOptions(targetRowsPerFragment = 10, maxFilesPerFragment = 2)

  private def file(store: ObjectStore, rows: Int, version: FileVersion): WrittenFile = {
    val format = DataFileFormat(version, maxPageBytes = 300, groups = apart)
    val writer = new FragmentWriter(store, "/t", schema, format, WriteId.random(), FileLimits.none)
    val random = new Random(rows.toLong)
    (0 until rows / 20).foreach { _ =>
      writer.columns.zip(leaves).foreach { case (column, field) =>
        RandomColumns.fill(column, field, 20, RandomColumns.Anything, 0.2, random)
      }
      writer.rowsWritten(20)
    }
    writer.finish()
  }

  private def table(
      store: ObjectStore,
      rows: Seq[Int] = Seq(100, 200),
      version: FileVersion = FileVersion.V2_2,
      identity: RowIdentity = RowIdentity.Address
  ): Dataset = Dataset.create(
    store,
    "/t",
    TableDefinition(schema, version, identity = identity),
    rows.map(file(store, _, version)).toVector
  )

  private def merged(dataset: Dataset, options: CompactionOptions = options): Vector[MergedFragment] =
    FileMerges.plan(dataset, options, WriteId.random()).map { merge =>
      merge.into(merge.tasks.map(_.run(dataset.store, dataset.root)))
    }

  private def merge(dataset: Dataset, options: CompactionOptions = options): Dataset =
    FileMerges.commit(dataset, merged(dataset, options)).dataset

  private def deleting(dataset: Dataset, addresses: Long*): Dataset =
    dataset.commit(RowOperations.delete(dataset, RowRanges.ofRows(addresses.toArray), "some")).dataset

  private val lineage = Seq(
    MetadataColumn.RowAddr,
    MetadataColumn.RowId,
    MetadataColumn.RowCreatedAtVersion,
    MetadataColumn.RowLastUpdatedAtVersion
  )

  /** All values, with addresses, ids and versions of the rows. */
  private def rows(dataset: Dataset): Vector[Vector[String]] = {
    val projection = dataset.schema.fields ++ lineage.map(_.field)
    ScanPlan.splits(dataset, projection, SplitTarget.Rows(Long.MaxValue)).flatMap { split =>
      Using.resource(new SplitReader(dataset.store, split, 77)) { reader =>
        Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
          reader.columns.map(ColumnText.of(_, reader.rowCount)).transpose
        }.toVector
      }
    }
  }

  /** Rows, bytes and encoding of all pages, by fragment and field. */
  private def pages(dataset: Dataset): Map[(Long, Int), Vector[(Long, Long, Long, Option[String])]] = {
    val fields = DataFilePages.fields(dataset.schema)
    DataFilePages.all(dataset).flatMap { of =>
      of.read(dataset.store, fields).map { column =>
        (of.fragmentId, column.fieldId) -> column.pages.map(p => (p.firstRow, p.rows, p.bytes, p.encoding))
      }
    }.toMap
  }

  private def filesOf(dataset: Dataset): Vector[Int] = dataset.fragments.map(_.files.size)

  Seq(FileVersion.V2_1, FileVersion.V2_2).foreach { version =>
    test(s"$version: the files of a fragment become one with the same pages, rows and addresses") {
      val before = deleting(table(new MemoryStore, version = version), 5, 6, RowAddress.of(1, 17))
      assert(filesOf(before).forall(_ == leaves.size - 2))
      val after = merge(before)
      assert(filesOf(after) == Vector(1, 1) && after.fragments.map(_.id) == before.fragments.map(_.id))
      assert(after.fragments.map(_.deletionFile) == before.fragments.map(_.deletionFile))
      assert(pages(after) == pages(before) && pages(after).values.exists(_.size > 1))
      assert(rows(after) == rows(before))
      assert(rows(Dataset.open(before.store, "/t", Some(before.version))) == rows(before))
    }
  }

  test("statistics go with their columns") {
    val before = table(new MemoryStore, rows = Seq(100))
    def statistics(dataset: Dataset): Map[Int, Seq[(Long, Seq[Int])]] =
      dataset.fragments.head.files.flatMap { file =>
        Using.resource(FileReader.open(dataset.store, s"/t/data/${file.path}", file.size)) { reader =>
          file.fieldIds.zip(file.columnIndices).map { case (id, column) =>
            val field = leaves.find(_.id == id).get
            val buffers = reader.columnBuffers(ColumnRequest(column, field))
            val parsed = buffers.flatMap(StatisticsCodec.parse(_, column, field.logicalType))
            id -> parsed.map(zones => zones.rows -> zones.nulls.toSeq)
          }
        }
      }.toMap
    val kept = statistics(merge(before))
    assert(kept == statistics(before) && kept.size == leaves.size && kept.values.forall(_.size == 1))
  }

  test("ids, row versions and the coverage of indices stay") {
    val first = table(new MemoryStore, identity = RowIdentity.StableId)
    val covered = RoaringSet.parse(ByteString.fromHex("3a30000000000000")).`with`(Set(0L, 1L)).encode
    val index = pb.IndexMetadata(
      uuid = Some(pb.UUID(ByteString.copyFromUtf8("0123456789abcdef"))),
      fields = Seq(0),
      name = "i",
      fragmentBitmap = covered,
      indexDetails = Some(ProtoAny("/lance.table.ZoneMapIndexDetails"))
    )
    val indexed =
      first.commit(Operation.CreateIndex(txn.Transaction.CreateIndex(newIndices = Seq(index)))).dataset
    val before = deleting(indexed, 5)
    val after = merge(before)
    assert(rows(after) == rows(before) && filesOf(after) == Vector(1, 1))
    val versions = new Versions(after.store, "/t")
    val section = versions.readWhole(versions.latest().get).indexSection.get
    assert(pb.IndexSection.parseFrom(section.newCodedInput()).indices == Seq(index))
  }

  test("named columns get files of their own, and files that are right stay") {
    val before = table(new MemoryStore)
    val two = options.copy(groups = ColumnGroups(Vector(leaves.map(_.name).slice(2, 4))))
    val once = merge(before, two)
    assert(filesOf(once) == Vector(2, 2) && rows(once) == rows(before))
    assert(once.fragments.map(_.files.last.fieldIds) == Vector.fill(2)(Vector(leaves(2).id, leaves(3).id)))
    val three = two.copy(groups = ColumnGroups(two.groups.groups :+ Vector(leaves.head.name)))
    assert(merged(once, three).isEmpty)
    val one = merge(once, options.copy(maxFilesPerFragment = 1))
    assert(filesOf(one) == Vector(1, 1) && rows(one) == rows(before))
    assert(merged(one, options.copy(maxFilesPerFragment = 1)).isEmpty)
  }

  test("fragments with few files, excluded ones, and those beyond a limit stay") {
    val before = table(new MemoryStore, rows = Seq(100, 200, 300))
    def chosen(options: CompactionOptions): Vector[Long] = merged(before, options).map(_.old.id)
    assert(chosen(options) == Vector(0, 1, 2))
    assert(chosen(options.copy(maxFilesPerFragment = leaves.size.toLong)).isEmpty)
    assert(chosen(options.copy(excludedFragments = Set(1))) == Vector(0, 2))
    assert(chosen(options.copy(maxSourceRows = Some(299))) == Vector(0))
    // Small neighbours are joined instead, and get one file each.
    assert(chosen(options.copy(targetRowsPerFragment = 250)) == Vector(2))
  }

  test("files of version 2.0 are rewritten with their rows") {
    val before = table(new MemoryStore, version = FileVersion.V2_0)
    assert(merged(before).isEmpty)
    assert(Compaction.plan(before, options).groups.map(_.fragments.map(_.fragment.id)) ==
      Vector(Vector(0), Vector(1)))
  }

  test("columns of blobs stay in their file") {
    val blob = Field(
      90,
      "blob",
      LogicalType.Binary(large = true),
      true,
      metadata =
        Map("lance-encoding:blob" -> "true")
    )
    val number = LogicalType.Integer(32, signed = true)
    val plain = Vector(91, 92, 93).map(id => Field(id, s"f$id", number, nullable = true))
    val mixed = LanceSchema(blob +: plain)
    val groups = ColumnGroups(Vector(Vector("blob"), Vector("f92"), Vector("f93")))
    val store = new MemoryStore
    val format = DataFileFormat(FileVersion.V2_1, groups = groups)
    val writer = new FragmentWriter(store, "/t", mixed, format, WriteId.random(), FileLimits.none)
    writer.columns.zip(mixed.fields).foreach { case (column, field) =>
      if (field.isBlob) {
        (0 until 10).foreach { i =>
          writer.blobs(field, column).append(Array.fill(i)(i.toByte))
          column.nulls.appendValid(1)
        }
      } else RandomColumns.fill(column, field, 10, RandomColumns.Anything, 0.2, new Random(1))
    }
    writer.rowsWritten(10)
    val before =
      Dataset.create(store, "/t", TableDefinition(mixed, FileVersion.V2_1), Vector(writer.finish()))
    val kept = before.fragments.head.files.filter(_.fieldIds == Vector(90))
    val after = merge(before)
    assert(filesOf(before) == Vector(4) && filesOf(after) == Vector(2))
    assert(after.fragments.head.files.head == kept.head && rows(after) == rows(before))
  }

  test("rows that others delete meanwhile stay deleted; rewritten fragments drop out") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(100, 200, 300))
    val done = merged(before)
    val deleted = deleting(before, 3, RowAddress.of(2, 1))
    val after = FileMerges.commit(before, done).dataset
    assert(filesOf(after) == Vector(1, 1, 1) && rows(after) == rows(deleted))
    val lost = intercept[RetryableCommitConflictException](FileMerges.commit(before, done))
    assert(lost.getMessage.contains("both change fragment"))
    assert(rows(Dataset.open(store, "/t")) == rows(deleted))
  }

  test("dropped columns are not copied, and columns without a file stay null") {
    val before = table(new MemoryStore, rows = Seq(100))
    val added = Field(before.nextFieldId, "added", LogicalType.Utf8(large = false), nullable = true)
    val wider = before.commit(before.merging(LanceSchema(leaves :+ added), Vector.empty)).dataset
    val message = txn.Transaction.Project(wider.manifest.message.fields.drop(1), preservesNullability = true)
    val projected = wider.commit(Operation.Project(message)).dataset
    val after = merge(projected)
    assert(after.fragments.flatMap(_.files).map(_.fieldIds) == Vector(leaves.tail.map(_.id)))
    assert(rows(after) == rows(projected))
  }

  test("a failure leaves no file, and a column of another length is named") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(100))
    val files = store.paths
    val task = FileMerges.plan(before, options, WriteId.random()).head.tasks.head
    val broken = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]) =
        if (path == task.sources.last.path) throw new java.io.IOException("gone")
        else store.open(path, knownSize)
    }
    intercept[java.io.IOException](task.run(broken, "/t"))
    val e = intercept[LanceFormatException](task.copy(rows = 99).run(store, "/t"))
    assert(e.getMessage.contains("a column of 100 rows where 99 are expected"))
    assert(task.sources.exists(source => e.getMessage.contains(source.path)))
    assert(store.paths == files)
  }
}
