package io.sparklance.dataset.scan

import java.io.{ByteArrayOutputStream, ObjectOutputStream}

import scala.util.{Random, Using}

import org.roaringbitmap.RoaringBitmap
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{FileVersion, RowRange, RowRanges}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.dataset.write.{FragmentWriter, WrittenFile}
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema, SchemaCodec}
import io.sparklance.table.rowid.{RowIdEncoder, RowVersionEncoder}
import io.sparklance.table.{Manifest, ManifestCodec}
import io.sparklance.testkit.{ColumnText, Hex, MemoryStore, RandomColumns, TableFixtures}
import io.sparklance.{LanceFormatException, LanceUsageException}

/** Splits of whole tables, and what reading them brings. */
class SplitSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val fields = RandomColumns.fields(
    Vector(Integer(64, signed = true), Utf8(large = false), FixedSizeList(FloatingPoint(32), 80))
  )

  private val withPlace = fields :+ MetadataColumn.RowAddr.field

  /** @param texts
    *   of all live rows, by column
    * @param addresses
    *   of all live rows
    */
  private case class Content(dataset: Dataset, texts: Vector[Vector[String]], addresses: Vector[Long])

  private val none: Int => Boolean = _ => false
  private def every(step: Int): Int => Boolean = _ % step == 0

  /** A table with its content. Each fragment has a number of rows, of which some are deleted. */
  private def table(fragments: Vector[(Int, Int => Boolean)], maxPageBytes: Long): Content = {
    val store = new MemoryStore
    val random = new Random(5)
    val written = fragments.zipWithIndex.map { case ((rows, isGone), id) =>
      val (file, texts) = write(store, rows, maxPageBytes, random)
      val gone = (0 until rows).filter(isGone).toVector
      val live = (0 until rows).filterNot(gone.toSet).toVector
      val addresses = live.map(row => RowAddress.of(id.toLong, row.toLong))
      (message(store, id, file, gone), texts.map(column => live.map(column)), addresses)
    }
    val texts = fields.indices.toVector.map(i => written.flatMap(_._2(i)))
    Content(open(store, written.map(_._1)), texts, written.flatMap(_._3))
  }

  private lazy val mixed =
    table(
      Vector(300 -> none, 200 -> every(3), 7 -> every(1), 1 -> none, 400 -> every(7)),
      maxPageBytes = 20000
    )

  private def write(
      store: MemoryStore,
      rows: Int,
      maxPageBytes: Long,
      random: Random
  ): (WrittenFile, Vector[Vector[String]]) = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), FileVersion.V2_2, maxPageBytes)
    val texts = Vector.fill(fields.size)(Vector.newBuilder[String])
    for (_ <- 0 until rows) {
      fields.indices.foreach { i =>
        val column = writer.columns(i)
        RandomColumns.fill(column, fields(i), 1, RandomColumns.Anything, 0.1, random)
        texts(i) += ColumnText.at(column, column.length - 1)
      }
      writer.rowWritten()
    }
    (writer.finish(), texts.map(_.result()))
  }

  private def message(store: MemoryStore, id: Int, file: WrittenFile, gone: Vector[Int]): pb.DataFragment = {
    val bitmap = RoaringBitmap.bitmapOf(gone: _*)
    val bytes = java.nio.ByteBuffer.allocate(bitmap.serializedSizeInBytes)
    bitmap.serialize(bytes)
    store.put(s"/t/_deletions/$id-1-1.bin", bytes.array)
    val deletion = pb.DeletionFile(pb.DeletionFile.DeletionFileType.BITMAP, 1, 1, gone.size.toLong)
    pb.DataFragment(
      id.toLong,
      Seq(pb.DataFile(file.fileName, file.fieldIds, file.columnIndices, 2, 2, file.sizeBytes)),
      deletionFile = Option.when(gone.nonEmpty)(deletion),
      physicalRows = file.rows
    )
  }

  private def open(store: MemoryStore, fragments: Seq[pb.DataFragment], flags: Long = 0): Dataset = {
    val message =
      pb.Manifest(
        version = 1,
        fields = SchemaCodec.encodeFields(LanceSchema(fields)),
        fragments = fragments,
        readerFeatureFlags = flags,
        writerVersion = TableFixtures.writer
      )
    val bytes = ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "u"))
    store.put("/t/_versions/18446744073709551614.manifest", bytes)
    Dataset.open(store, "/t")
  }

  private def memory(dataset: Dataset): MemoryStore = dataset.store match {
    case store: MemoryStore => store
    case other => fail(s"$other")
  }

  private def read(dataset: Dataset, projection: Vector[Field], split: Split): Vector[Vector[String]] =
    Using.resource(new SplitReader(dataset.store, split, batchRows = 64)) { reader =>
      val texts = batches(reader)
      projection.indices.toVector.map(i => texts.flatMap(_(i)))
    }

  /** The columns of each batch. */
  private def batches(reader: SplitReader): Vector[Vector[Vector[String]]] =
    Iterator
      .continually(reader.next())
      .takeWhile(identity)
      .map(_ => reader.columns.map(ColumnText.of(_, reader.rowCount)))
      .toVector

  /** Numbers of 64 bits from their text, which has their bytes. */
  private def numbers(texts: Seq[String]): Seq[Long] =
    texts.map(text => java.lang.Long.reverseBytes(java.lang.Long.parseUnsignedLong(text, 16)))

  test("the union of splits is every live row once, in order, wherever they are cut") {
    import mixed.{dataset, texts}
    val target = Gen.oneOf(
      Gen.chooseNum(9L, 1000L).map(SplitTarget.Rows(_)),
      Gen.chooseNum(9000L, 400000L).map(SplitTarget.Bytes(_)),
      Gen.chooseNum(1, 20).map(SplitTarget.Balanced(1 << 20, 0, _))
    )
    forAll(target, Gen.someOf(fields), minSuccessful(20)) { (target, some) =>
      val projection = some.toVector
      val splits = ScanPlan.splits(dataset, projection, target).map(read(dataset, projection, _))
      projection.zipWithIndex.foreach { case (field, i) =>
        assert(splits.flatMap(_(i)) == texts(fields.indexOf(field)))
      }
    }
  }

  test("a split with fragments that have no live rows goes on behind them") {
    val Content(dataset, texts, _) =
      table(Vector(5 -> every(1), 5 -> every(1), 5 -> every(2)), maxPageBytes = 1000)
    val splits = ScanPlan.splits(dataset, fields, SplitTarget.Rows(1000))
    assert(splits.size == 1 && read(dataset, fields, splits.head) == texts)
  }

  test("of selected rows those that live are read, in order, wherever they are cut") {
    import mixed._
    val places = (0L to 4L).flatMap(id => (0L until 420L).map(RowAddress.of(id, _)))
    val scattered = Gen.zip(Gen.choose(0, 1 << 20), Gen.oneOf(0.003, 0.05, 0.5)).map { case (seed, share) =>
      val random = new Random(seed)
      places.filter(_ => random.nextDouble() < share)
    }
    forAll(scattered, Gen.chooseNum(9L, 400L), minSuccessful(20)) { (wanted, splitRows) =>
      val selection = RowRanges.ofRows(wanted.toArray)
      val splits = ScanPlan.splits(dataset, withPlace, SplitTarget.Rows(splitRows), selection)
      val found = splits.map(read(dataset, withPlace, _))
      val expected = wanted.filter(addresses.toSet).map(addresses.indexOf(_))
      fields.indices.foreach(i => assert(found.flatMap(_(i)) == expected.map(texts(i))))
      assert(numbers(found.flatMap(_(fields.size))) == expected.map(addresses))
    }
  }

  test("metadata columns show the address of a row") {
    import mixed._
    val places = Vector(MetadataColumn.FragId, MetadataColumn.RowId, MetadataColumn.RowAddr).map(_.field)
    val splits = ScanPlan.splits(dataset, places, SplitTarget.Rows(77)).map(read(dataset, places, _))
    assert(numbers(splits.flatMap(_(0))) == addresses.map(_ >>> 32))
    assert(numbers(splits.flatMap(_(1))) == addresses && splits.flatMap(_(2)) == splits.flatMap(_(1)))
  }

  test("stable row ids are those of the manifest, and every fragment must have them") {
    def withIds(ids: Option[Array[Byte]]): Dataset = {
      val message = mixed.dataset.manifest.message
      val fragments = message.fragments.map { f =>
        ids.fold(f)(bytes => f.withInlineRowIds(com.google.protobuf.ByteString.copyFrom(bytes)))
      }
      open(memory(mixed.dataset), fragments.take(1), flags = 2)
    }
    val place = Vector(MetadataColumn.RowId.field)
    // From 7 on, 300 ids.
    val ids = withIds(Some(Hex.slice("0a 07 0a 05 08 07 10 b3 02").toArray))
    val splits = ScanPlan.splits(ids, place, SplitTarget.Rows(100))
    assert(numbers(splits.flatMap(read(ids, place, _).head)) == (7L until 307L))
    assert(ids.addressesOf(MetadataColumn.RowId, RowRanges(0, 10)) == RowRanges(0, 3) &&
      mixed.dataset.addressesOf(MetadataColumn.RowId, RowRanges(1, 9)) == RowRanges(1, 9))
    val e = intercept[LanceFormatException](ScanPlan.splits(withIds(None), place, SplitTarget.Rows(100)))
    assert(e.reason == "fragment 0 has no row ids, though those of the table are stable")
  }

  test("a split carries the ids and versions of its own rows, and of no others") {
    val rows = mixed.dataset.physicalRows(mixed.dataset.fragments.head).toInt
    val ids = new Random(8).shuffle((0 until rows).toVector.map(_ * 1000003L)).toArray
    val versions = Array.tabulate(rows)(i => 1L + i % 3)
    val message = mixed.dataset.manifest.message.fragments.head
      .withInlineRowIds(RowIdEncoder.encode(ids))
      .withInlineCreatedAtVersions(RowVersionEncoder.encode(versions))
    val dataset = open(memory(mixed.dataset), Seq(message), flags = 2)
    val columns = Vector(MetadataColumn.RowId, MetadataColumn.RowCreatedAtVersion).map(_.field)
    def size(split: Split): Int = {
      val bytes = new ByteArrayOutputStream
      Using.resource(new ObjectOutputStream(bytes))(_.writeObject(split))
      bytes.size
    }
    val whole = ScanPlan.splits(dataset, columns, SplitTarget.Rows(rows.toLong))
    val pieces = ScanPlan.splits(dataset, columns, SplitTarget.Rows(10))
    assert(whole.size == 1 && pieces.size == 30)
    val numbersOnly = message.getInlineRowIds.size + message.getInlineCreatedAtVersions.size
    val rest = size(whole.head) - numbersOnly
    pieces.foreach(piece => assert(size(piece) <= rest + numbersOnly / 30 + 300))
    for (splits <- Seq(whole, pieces)) {
      val found = splits.map(read(dataset, columns, _))
      assert(numbers(found.flatMap(_(0))) == ids.toSeq && numbers(found.flatMap(_(1))) == versions.toSeq)
    }
    val places = RowRanges.of(Seq(RowRange(7, 9), RowRange(105, 130), RowRange(299, 300)))
    val some = ScanPlan.splits(dataset, columns, SplitTarget.Rows(4), places).map(read(dataset, columns, _))
    assert(numbers(some.flatMap(_(0))) ==
      places.ranges.flatMap(r => r.start until r.end).map(i => ids(i.toInt)))
  }

  test("the versions of rows are those of the manifest, and 1 where it tells none") {
    // Runs of 100 and 200 rows, of versions 3 and 9: how many numbers a span has counts, not which.
    val runs = Hex.slice("0a 0a 0a 06 0a 04 08 00 10 64 10 03 0a 0b 0a 07 0a 05 08 07 10 cf 01 10 09").toArray
    val message = mixed.dataset.manifest.message
    val fragments = message.fragments.take(2) match {
      case Seq(first, second) =>
        Seq(first.withInlineLastUpdatedAtVersions(com.google.protobuf.ByteString.copyFrom(runs)), second)
      case other => fail(s"$other")
    }
    val dataset = open(memory(mixed.dataset), fragments, flags = 0)
    val versions = Vector(MetadataColumn.RowLastUpdatedAtVersion, MetadataColumn.RowCreatedAtVersion)
    val splits = ScanPlan.splits(dataset, versions.map(_.field), SplitTarget.Rows(90))
    val found = splits.map(read(dataset, versions.map(_.field), _))
    assert(numbers(found.flatMap(_(0))) == Seq.fill(100)(3L) ++ Seq.fill(200)(9L) ++ Seq.fill(133)(1L))
    assert(numbers(found.flatMap(_(1))).toSet == Set(1L))
    assert(dataset.addressesOf(versions(0), RowRanges(4, 10)) == RowRanges(100, 300))
    assert(dataset.addressesOf(versions(0), RowRanges(0, 4)).ranges ==
      Seq(RowRange(0, 100), RowAddress.ofFragment(1, 200)))
    assert(dataset.addressesOf(versions(1), RowRanges(2, 4)).isEmpty)
    assert(dataset.addressesOf(MetadataColumn.FragId, RowRanges(1, 1L << 40)) ==
      RowRanges(RowAddress.first(1), Long.MaxValue))
  }

  test("a sample is the same however the table is split, and samples of all shares make up the table") {
    import mixed._
    def sampled(lower: Double, upper: Double, rows: Long): Vector[Long] = {
      val splits = ScanPlan.splits(dataset, withPlace, SplitTarget.Rows(rows))
      val sample = Some(RowSample(lower, upper, seed = 42))
      numbers(splits.map(_.copy(sample = sample)).flatMap(read(dataset, withPlace, _).last)).toVector
    }
    val tenth = sampled(0, 0.1, 1000)
    assert(tenth == sampled(0, 0.1, 70) && tenth.size > 40 && tenth.size < 120)
    assert((tenth ++ sampled(0.1, 0.6, 500) ++ sampled(0.6, 1.0, 300)).sorted == addresses)
    assert(sampled(0.5, 0.5, 1000).isEmpty)
  }

  test("a slice of the live rows, or of some of them, is exact") {
    import mixed._
    val selections = Seq(
      RowRanges.all,
      RowRanges(RowAddress.of(0, 250), RowAddress.of(4, 33)),
      RowRanges
        .ofRows(addresses.toArray.filter(_ % 5 == 0))
        .union(RowRanges(RowAddress.of(1, 0), RowAddress.of(1, 9)))
    )
    val row = Gen.oneOf(Gen.chooseNum(0L, 900L), Gen.oneOf(0L, 1L, 299L, 300L, 301L, 433L, 434L, 435L))
    forAll(Gen.oneOf(selections), row, Gen.option(row)) { (selection, offset, limit) =>
      val slice = RowSlice(offset, limit)
      def in(rows: RowRanges): Vector[Long] =
        addresses.filter(a => !rows.intersect(RowRange(a, a + 1)).isEmpty)
      val live = in(selection)
      val expected = live.drop(offset.toInt).take(limit.fold(1000)(_.toInt))
      assert(in(slice.of(dataset, selection)) == expected)
      assert(slice.of(live.size.toLong) == expected.size)
    }
  }

  test("positions are those of live rows, wherever rows are deleted") {
    val ends: Vector[Int => Boolean] =
      Vector(_ == 9, _ > 6, _ == 0, _ < 4, _ > 0, _ < 9, i => i == 0 || i == 9, _ => true, none, _ == 8)
    val edges = table(ends.map(10 -> _), maxPageBytes = 20000)
    for (content <- Seq(mixed, edges)) {
      import content._
      val positions = new Random(3).shuffle(addresses.indices.toVector).map(_.toLong)
      val found = RowPositions.addresses(dataset, positions ++ positions.take(3))
      assert(found == (positions ++ positions.take(3)).map(at => addresses(at.toInt)))
      for (outside <- Seq(-1L, addresses.size.toLong, Long.MaxValue)) {
        val refused = intercept[LanceUsageException](RowPositions.addresses(dataset, Vector(0L, outside)))
        assert(refused.getMessage.contains(s"has no row $outside: version 1 has ${addresses.size} rows"))
      }
    }
  }

  test("single rows are taken by their addresses; missing ones are left out") {
    import mixed._
    val wanted =
      Array(RowAddress.of(4, 398), RowAddress.of(0, 3), RowAddress.of(1, 0), RowAddress.of(1, 1), 1L << 50)
    val found = Using.resource(dataset.take(wanted, withPlace)) { reader =>
      batches(reader).flatMap(_.last)
    }
    assert(numbers(found) == addresses.filter(wanted.contains(_)) && found.size == 3)
  }

  test("a row of a large page is taken without reading the page") {
    val large = table(Vector(3000 -> none), maxPageBytes = 64L << 20).dataset
    val store = memory(large)
    store.forgetReads()
    Using.resource(large.take(Array(5L, 1500L, 2999L), fields)) { reader =>
      while (reader.next()) assert(reader.rowCount == 3)
    }
    // The file's tail, and for each column its index and three chunks or rows.
    assert(store.reads.map(_.length).sum < (64 << 10) + 100000 && store.reads.size <= 1 + 3 * 4)
  }

  test("each quarter of one large page reads a quarter of it") {
    val vectors = Vector(Field(0, "v", FixedSizeList(FloatingPoint(32), 768), nullable = false))
    val store = new MemoryStore
    val writer = new FragmentWriter(store, "/t", LanceSchema(vectors), FileVersion.V2_2, 64L << 20)
    val rows = 8000
    for (_ <- 0 until rows) {
      RandomColumns.fill(writer.columns.head, vectors.head, 1, RandomColumns.Anything, 0, new Random(1))
      writer.rowWritten()
    }
    val dataset = Dataset.create(
      store,
      "/t",
      TableDefinition(LanceSchema(vectors), FileVersion.V2_2),
      Vector(writer.finish())
    )
    val page = rows * 768L * 4
    val splits = ScanPlan.splits(dataset, vectors, SplitTarget.Balanced(1 << 30, 1 << 20, 4))
    assert(splits.map(_.tasks.map(_.rows.count)) == Vector.fill(4)(Vector(2000)))
    splits.foreach { split =>
      store.forgetReads()
      Using.resource(new SplitReader(store, split, 1000))(r => while (r.next()) assert(r.rowCount > 0))
      assert(store.reads.map(_.length).sum < page / 4 + (128 << 10))
    }
  }
}
