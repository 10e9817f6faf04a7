package io.sparklance.dataset.compaction

import scala.util.{Random, Using}

import com.google.protobuf.ByteString
import com.google.protobuf.any.{Any => ProtoAny}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.dataset.write.{FragmentWriter, RewriteSettings, WrittenFile}
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations, TableDefinition}
import io.sparklance.io.ObjectStore
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{RowIdentity, Versions, WriteId}
import io.sparklance.testkit.{ColumnText, DelegatingStore, MemoryStore, RandomColumns}
import io.sparklance.{CommitConflictException, LanceUsageException, UnsupportedLanceFeatureException}

class CompactionSuite extends AnyFunSuite {
  private val fields = RandomColumns.fields(RandomColumns.types)
  private val options = CompactionOptions(targetRowsPerFragment = 1000)

  /** A file with random values of all types. */
  private def file(store: ObjectStore, rows: Int, version: FileVersion, seed: Long): WrittenFile = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), version)
    val random = new Random(seed)
    writer.columns.zip(fields).foreach { case (column, field) =>
      RandomColumns.fill(column, field, rows, RandomColumns.Anything, 0.2, random)
    }
    writer.rowsWritten(rows)
    writer.finish()
  }

  /** A table of a fragment for each number of rows. */
  private def table(
      store: ObjectStore,
      rows: Seq[Int] = Seq(100, 200, 300),
      version: FileVersion = FileVersion.V2_2,
      identity: RowIdentity = RowIdentity.Address
  ): Dataset = {
    val files = rows.zipWithIndex.map { case (n, i) => file(store, n, version, i.toLong) }.toVector
    Dataset.create(store, "/t", TableDefinition(LanceSchema(fields), version, identity = identity), files)
  }

  private def rewritten(dataset: Dataset, options: CompactionOptions): Vector[RewrittenGroup] = {
    val plan = Compaction.plan(dataset, options)
    plan.groups.zip(Compaction.tasks(plan, options, WriteId.random())).map { case (group, task) =>
      group.into(new GroupRewriter(
        dataset.store,
        dataset.root,
        task,
        RewriteSettings(64 << 20),
        _ => ()
      ).run())
    }
  }

  private def compact(dataset: Dataset, options: CompactionOptions = options): CompactionOutcome =
    Compaction.commit(dataset, rewritten(dataset, options))

  private def deleting(dataset: Dataset, fragment: Long, offsets: Long*): Dataset = {
    val rows = RowRanges.ofRows(offsets.map(RowAddress.of(fragment, _)).toArray)
    dataset.commit(RowOperations.delete(dataset, rows, "some")).dataset
  }

  /** The values of all columns, row by row. */
  private def rows(dataset: Dataset, extra: MetadataColumn*): Vector[Vector[String]] = {
    val projection = dataset.schema.fields ++ extra.map(_.field)
    ScanPlan.splits(dataset, projection, SplitTarget.Rows(Long.MaxValue)).flatMap { split =>
      Using.resource(new SplitReader(dataset.store, split, 77)) { reader =>
        Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
          reader.columns.map(ColumnText.of(_, reader.rowCount)).transpose
        }.toVector
      }
    }
  }

  Seq(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2).foreach { version =>
    test(s"$version: all rows come out as they went in, in their order and without the deleted ones") {
      val store = new MemoryStore
      val before = deleting(deleting(table(store, version = version), 0, 0, 5, 99), 2, (0L to 150L): _*)
      val outcome = compact(before)
      assert(outcome.dataset.fragments.map(_.id) == Vector(3))
      assert(outcome.dataset.fragments.forall(f => f.deletionFile.isEmpty && f.files.size == 1))
      assert(outcome.dataset.fragments.flatMap(_.files).forall(_.version.contains(version)))
      assert((outcome.fragmentsRemoved, outcome.fragmentsAdded) == ((3, 1)))
      assert((outcome.filesRemoved, outcome.filesAdded) == ((5, 1)))
      assert(rows(outcome.dataset) == rows(before))
      assert(rows(Dataset.open(store, "/t", Some(before.version))) == rows(before))
    }
  }

  test("nothing to do makes no version and no file") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(1000, 50, 1000))
    assert(Compaction.plan(before, options).groups.isEmpty)
  }

  test("groups become as many fragments as they have rows for; small batches and files change nothing") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(90, 10, 30, 70, 40, 60, 100))
    val fine = options.copy(targetRowsPerFragment = 100)
    assert(Compaction.plan(before, fine).groups.map(_.fragments.map(_.fragment.id)) ==
      Vector(Vector(0, 1), Vector(2, 3), Vector(4, 5)))
    val after = compact(before, fine).dataset
    assert(after.fragments.map(f => f.id -> f.physicalRows.get) ==
      Vector(6L -> 100, 7L -> 100, 8L -> 100, 9L -> 100))
    assert(rows(after).toSet == rows(before).toSet)
    val again = table(new MemoryStore, rows = Seq(5000, 5000))
    val small = CompactionOptions(maxBytesPerFile = 1)
    val tiny = compact(again, small).dataset
    assert(tiny.fragments.size > 2 && rows(tiny) == rows(again))
  }

  test("fragments without a row left go away") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(10, 2000))
    // As others leave it: our own deletes remove such a fragment.
    val gone = deleting(before, 0, (0L until 9L): _*)
    val message = gone.manifest.message
    val outcome = compact(gone, options.copy(targetRowsPerFragment = 5))
    assert(message.fragments.head.deletionFile.isDefined && outcome.dataset.countRows == 2001)
    assert(outcome.dataset.fragments.map(_.physicalRows.get).sum == 2001)
  }

  test("stable row ids and the versions of rows go with them") {
    val store = new MemoryStore
    val first = table(store, identity = RowIdentity.StableId)
    val second = first.append(Vector(file(store, 50, FileVersion.V2_2, 9)))
    val moved = MovedRows(file(store, 3, FileVersion.V2_2, 10), Array(150, 2))
    val gone = RowRanges.ofRows(Array(RowAddress.of(0, 2), RowAddress.of(1, 50)))
    val before = second.commit(RowOperations.update(second, gone, Vector(moved))).dataset
    val columns = Seq(
      MetadataColumn.RowId,
      MetadataColumn.RowCreatedAtVersion,
      MetadataColumn.RowLastUpdatedAtVersion
    )
    val after = compact(before).dataset
    assert(after.fragments.size == 1 && rows(after, columns: _*) == rows(before, columns: _*))
    assert(after.manifest.message.nextRowId == before.manifest.message.nextRowId)
    // Ranges of each old fragment, not a list of all.
    assert(after.fragments.head.rowIds.get.size < 100)
    val again =
      compact(deleting(after, after.fragments.head.id, 7), options.copy(materializeDeletionsThreshold = 0))
    assert(rows(again.dataset, columns: _*) == rows(after, columns: _*).patch(7, Nil, 1))
  }

  test("columns that some fragments lack become nulls; dropped ones are not written again") {
    val store = new MemoryStore
    val before = table(store)
    val added = Field(before.nextFieldId, "added", LogicalType.Utf8(large = false), nullable = true)
    val schema = LanceSchema(fields.drop(1) :+ added)
    val merged = before.commit(before.merging(LanceSchema(fields :+ added), Vector.empty)).dataset
    val message = txn.Transaction.Project(merged.manifest.message.fields.drop(1), preservesNullability = true)
    val projected = merged.commit(Operation.Project(message)).dataset
    assert(projected.schema == schema)
    val after = compact(projected).dataset
    assert(after.fragments.flatMap(_.files).map(_.fieldIds) == Vector(schema.fields.map(_.id)))
    assert(rows(after) == rows(projected) && rows(after).forall(_.last == "-"))
  }

  test("files of another version are marked as such") {
    val store = new MemoryStore
    val before = table(store, version = FileVersion.V2_0)
    val after = compact(before, options.copy(fileVersion = Some(FileVersion.V2_2))).dataset
    assert(after.fileVersion == FileVersion.V2_0)
    assert(after.fragments.flatMap(_.files).flatMap(_.version) == Vector(FileVersion.V2_2))
    assert(rows(Dataset.open(store, "/t")) == rows(before))
  }

  test("a group that others changed meanwhile is left out, and the others are committed") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(600, 600, 600, 600))
    val done = rewritten(before, options)
    assert(done.size == 2)
    val deleted = deleting(before, 3, 17)
    val outcome = Compaction.commit(before, done)
    assert(outcome.done == done.take(1) && outcome.dataset.fragments.map(_.id).take(2) == Vector(2, 3))
    assert(rows(outcome.dataset).toSet == rows(deleted).toSet)
  }

  test("if all groups were changed, that is a conflict and the table stays as the others left it") {
    val store = new MemoryStore
    val before = table(store)
    val done = rewritten(before, options)
    val deleted = deleting(before, 1, 17)
    val e = intercept[CommitConflictException](Compaction.commit(before, done))
    assert(e.getMessage.contains("both change fragment 1"))
    assert(rows(Dataset.open(store, "/t")) == rows(deleted))
  }

  test("appends during a compaction stay, and another compaction of the same fragments loses") {
    val store = new MemoryStore
    val before = table(store)
    val (mine, theirs) = (rewritten(before, options), rewritten(before, options))
    val grown = before.append(Vector(file(store, 10, FileVersion.V2_2, 5)))
    val after = Compaction.commit(before, mine).dataset
    assert(rows(after).toSet == rows(grown).toSet)
    intercept[CommitConflictException](Compaction.commit(before, theirs))
  }

  test("a failure leaves no file") {
    val store = new MemoryStore
    val before = table(store, rows = Seq(100, 100))
    val files = store.paths
    val failing = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]) =
        if (path.endsWith(before.fragments.last.files.head.path)) throw new java.io.IOException("gone")
        else store.open(path, knownSize)
    }
    val tasks = Compaction.tasks(Compaction.plan(before, options), options, WriteId.random())
    val rewriter =
      new GroupRewriter(failing, "/t", tasks.head.copy(maxBytesPerFile = 1), RewriteSettings(1024), _ => ())
    intercept[java.io.IOException](rewriter.run())
    assert(store.paths == files)
  }

  test("types that cannot be written are refused before anything is") {
    val item = Field(1, "item", LogicalType.Struct, true, Vector(Field(2, "a", LogicalType.Bool, true)))
    val lists = Field(0, "lists", LogicalType.FixedSizeList(LogicalType.Struct, 2), true, Vector(item))
    val files = Vector("a", "b").map(WrittenFile(_, Vector(0), Vector(0), FileVersion.V2_2, 1000, 10))
    val dataset =
      Dataset.create(
        new MemoryStore,
        "/t",
        TableDefinition(LanceSchema(Vector(lists)), FileVersion.V2_2),
        files
      )
    val e = intercept[UnsupportedLanceFeatureException](Compaction.plan(dataset, options))
    assert(e.getMessage.contains("fixed-size lists of structs"))
  }

  private def index(name: String, kind: String, version: Int, fragments: Long*): pb.IndexMetadata =
    pb.IndexMetadata(
      uuid = Some(pb.UUID(ByteString.copyFromUtf8((name * 16).take(16)))),
      fields = Seq(0),
      name = name,
      fragmentBitmap =
        if (fragments.isEmpty) ByteString.EMPTY
        else RoaringSet.parse(pruned).`with`(fragments.toSet).encode,
      indexDetails = Some(ProtoAny(s"/lance.table.$kind")),
      indexVersion = Some(version)
    )

  /** No fragment. */
  private val pruned = ByteString.fromHex("3a30000000000000")

  private def indexed(dataset: Dataset, indices: pb.IndexMetadata*): Dataset =
    dataset.commit(Operation.CreateIndex(txn.Transaction.CreateIndex(newIndices = indices))).dataset

  private def covered(dataset: Dataset): Map[String, Seq[Long]] = {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.readWhole(versions.latest().get).indexSection.get
    pb.IndexSection.parseFrom(section.newCodedInput()).indices.map { index =>
      val bitmap = RoaringSet.parse(index.fragmentBitmap)
      index.name -> (0L until 20L).filter(bitmap.contains)
    }.toMap
  }

  test("indices of addresses no longer speak of moved rows; those of stable row ids follow them") {
    val kinds =
      Seq("BTreeIndexDetails" -> 0, "BTreeIndexDetails" -> 1, "ZoneMapIndexDetails" -> 0, "New" -> 0)
    Seq(RowIdentity.Address, RowIdentity.StableId).foreach { identity =>
      val store = new MemoryStore
      val before = indexed(
        table(store, rows = Seq(10, 10, 2000, 10), identity = identity),
        kinds.zipWithIndex.map { case ((kind, version), i) => index(s"i$i", kind, version, 0, 1, 2) }: _*
      )
      val after = covered(compact(before).dataset)
      val follows = if (identity == RowIdentity.StableId) Seq(2L, 4L) else Seq(2L)
      assert(after == Map("i0" -> follows, "i1" -> Seq(2), "i2" -> Seq(2), "i3" -> Seq(2)))
    }
  }

  test(
    "an index that does not list its fragments, and a map of moved rows, keep a table from being compacted"
  ) {
    val unclear = indexed(table(new MemoryStore), index("unclear", "BTreeIndexDetails", 0))
    val e = intercept[LanceUsageException](Compaction.plan(unclear, options))
    assert(e.getMessage.contains("The index 'unclear' of the table at /t does not list the fragments"))
    val map = indexed(table(new MemoryStore), index("__lance_frag_reuse", "FragmentReuseIndexDetails", 0, 1))
    intercept[UnsupportedLanceFeatureException](Compaction.plan(map, options))
  }
}
