package io.sparklance.dataset.scan

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.{Field, LanceSchema, LogicalType, SchemaCodec}
import io.sparklance.table.{DeletionFileKind, Manifest, ManifestCodec}
import io.sparklance.testkit.{MemoryStore, TableFixtures}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class ScanPlanSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val int = Field(0, "i", LogicalType.Integer(32, signed = true), nullable = true)
  private val vector =
    Field(1, "v", LogicalType.FixedSizeList(LogicalType.FloatingPoint(32), 1024), nullable = true)
  private val later = Field(2, "later", LogicalType.Utf8(large = false), nullable = true)

  private def file(name: String, size: Long, fields: Seq[Int], columns: Seq[Int], minor: Int = 2) =
    pb.DataFile(name, fields, columns, fileMajorVersion = 2, fileMinorVersion = minor, fileSizeBytes = size)

  private def dataset(fragments: pb.DataFragment*): Dataset = {
    val store = new MemoryStore
    val message = pb.Manifest(
      version = 1,
      fields = SchemaCodec.encodeFields(LanceSchema(Vector(int, vector, later))),
      fragments = fragments,
      writerVersion = TableFixtures.writer
    )
    store.put(
      "/t/_versions/18446744073709551614.manifest",
      ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "u"))
    )
    Dataset.open(store, "/t")
  }

  private val both =
    pb.DataFragment(id = 3, files = Seq(file("a.lance", 4100000, Seq(0, 1), Seq(0, 1))), physicalRows = 1000)

  private def tasks(dataset: Dataset, projection: Vector[Field], bytes: Long): Vector[FragmentTask] =
    ScanPlan.splits(dataset, projection, SplitTarget.Bytes(bytes)).flatMap(_.tasks)

  test("a small fragment is one task, which says all that an executor has to know") {
    val deleted = both.copy(deletionFile =
      Some(pb.DeletionFile(
        pb.DeletionFile.DeletionFileType.BITMAP,
        readVersion = 1,
        id = 2,
        numDeletedRows = 5
      ))
    )
    val expected = FragmentTask(
      3,
      Vector(FileSource("/t/data/a.lance", Some(4100000), Vector(0, 1), Vector(0, 1))),
      1000,
      Some(DeletionSource("/t/_deletions/3-1-2.bin", DeletionFileKind.Bitmap, Some(5))),
      RowRanges(0, 1000),
      Vector(vector, int)
    )
    assert(tasks(dataset(deleted), Vector(vector, int), 1 << 30) == Vector(expected))
  }

  test("a fragment is cut by the bytes of the projected columns, not of the file") {
    val table = dataset(both)
    assert(tasks(table, Vector(vector), 1000000).size == 5)
    assert(tasks(table, Vector(int), 1000000).size == 1)
  }

  test("a task ships only the fields that are read, and those around them") {
    val sources = tasks(dataset(both), Vector(vector), 1 << 30).flatMap(_.files)
    assert(sources == Vector(FileSource("/t/data/a.lance", Some(4100000), Vector(1), Vector(1))))
  }

  test("splits cover every row once, in order, and are as large as they should be") {
    val sizes = Gen.listOf(Gen.zip(Gen.chooseNum(1L, 5000L), Gen.chooseNum(0L, 5000000L)))
    val target = Gen.oneOf(
      Gen.chooseNum(1L, 20000L).map(SplitTarget.Rows(_)),
      Gen.chooseNum(1000L, 10000000L).map(SplitTarget.Bytes(_)),
      Gen.zip(Gen.chooseNum(1000L, 10000000L), Gen.chooseNum(0L, 100000L), Gen.chooseNum(1, 9)).map {
        case (max, open, min) => SplitTarget.Balanced(max, open, min)
      }
    )
    forAll(sizes, target) { (fragments, target) =>
      val work = fragments.map { case (rows, bytes) =>
        FragmentWork(
          rows,
          if (target.isInstanceOf[SplitTarget.Rows]) rows.toDouble else bytes.toDouble,
          8.0 * rows
        )
      }.toVector
      val splits = SplitFiller.of(target, work).fill(work.iterator)
      val pieces = splits.flatten
      assert(splits.forall(_.nonEmpty) && pieces.forall(!_._2.isEmpty))
      work.zipWithIndex.foreach { case (fragment, i) =>
        val ranges = pieces.filter(_._1 == i).map(_._2)
        assert(ranges.head.start == 0 && ranges.last.end == fragment.rows)
        ranges.zip(ranges.drop(1)).foreach { case (a, b) => assert(a.end == b.start) }
      }
      assert(pieces.map(_._1) == pieces.map(_._1).sorted)
      target match {
        case SplitTarget.Rows(count) =>
          val rows = splits.map(_.map(_._2.length).sum)
          assert(rows.dropRight(1).forall(_ == count) && rows.lastOption.forall(_ <= count))
        case SplitTarget.Bytes(count) =>
          splits.foreach { split =>
            val bytes = split.map { case (i, rows) => rows.length * work(i).bytes / work(i).rows }.sum
            assert(bytes <= count * 1.0626 || split.map(_._2.length).sum == 1)
          }
        case SplitTarget.Balanced(_, _, _) => ()
        case SplitTarget.Uncut(_) => assert(pieces.map(_._1) == work.indices)
      }
    }
  }

  /** The rows of each split, for fragments of given rows and bytes. */
  private def balanced(fragments: (Long, Double)*)(max: Long, open: Long, min: Int): Vector[Vector[Long]] = {
    val work = fragments.map { case (rows, bytes) =>
      FragmentWork(rows, bytes, math.max(bytes, rows * 8.0))
    }.toVector
    SplitFiller.of(SplitTarget.Balanced(max, open, min), work).fill(work.iterator).map(_.map(_._2.length))
  }

  test("one fragment gives work to all cores, however well it is packed") {
    assert(balanced(3000000L -> 160e6)(128 << 20, 4 << 20, 4) == Vector.fill(4)(Vector(750000)))
    assert(balanced(3000000L -> 1.2e6)(128 << 20, 4 << 20, 4) == Vector.fill(4)(Vector(750000)))
    assert(balanced(300000L -> 1e5)(128 << 20, 4 << 20, 4) == Vector(Vector(300000)))
  }

  test("fragments of unequal size make splits of equal size") {
    assert(balanced(1000L -> 1e8, 600L -> 6e7)(128 << 20, 4 << 20, 2) ==
      Vector(Vector(800), Vector(200, 600)))
  }

  test("small fragments share a split, like files in Spark, and are not cut") {
    val splits = balanced(Seq.fill(100)(1000L -> 1e6): _*)(128 << 20, 4 << 20, 2)
    assert(splits.dropRight(1).forall(_ == Vector.fill(26)(1000)) && splits.flatten.sum == 100000)
  }

  test("no split is larger than Spark's setting") {
    val splits = balanced(1000000L -> 1e9)(10000000, 4 << 20, 2)
    assert(splits.size >= 94 && splits.flatten.forall(_ <= 10625))
  }

  test("files without a projected column are left out; columns that no file has leave none") {
    val split = pb.DataFragment(
      files = Seq(file("a", 10, Seq(0), Seq(0)), file("b", 10, Seq(1), Seq(0))),
      physicalRows = 10
    )
    assert(tasks(dataset(split), Vector(vector), 100).map(_.files.map(_.path)) ==
      Vector(Vector("/t/data/b")))
    assert(tasks(dataset(split), Vector(later), 100).map(_.files) == Vector(Vector.empty))
    assert(tasks(dataset(split), Vector.empty, 100).map(_.rows) == Vector(RowRanges(0, 10)))
  }

  test("columns with negative field ids are no columns of the table") {
    val hidden = pb.DataFragment(files = Seq(file("a", 10, Seq(-2, 0, -3), Seq(0, 1, 2))), physicalRows = 10)
    val sources = tasks(dataset(hidden), Vector(int), 100).flatMap(_.files)
    assert(sources == Vector(FileSource("/t/data/a", Some(10), Vector(0), Vector(1))))
  }

  test("a file of unknown size is planned by its rows") {
    val unknown = pb.DataFragment(files = Seq(file("a", 0, Seq(0, 1), Seq(0, 1))), physicalRows = 1000)
    val planned = tasks(dataset(unknown), Vector(vector), 1000000)
    assert(planned.size == 5 && planned.head.files.head.size.isEmpty)
  }

  test("files of version 2.0 are read, whichever of its two numbers the manifest has") {
    for ((major, minor) <- Seq((2, 0), (0, 3))) {
      val old = file("old", 10, Seq(0), Seq(0)).copy(fileMajorVersion = major, fileMinorVersion = minor)
      val table = dataset(pb.DataFragment(files = Seq(old), physicalRows = 10))
      assert(tasks(table, Vector(int), 100).map(_.rows) == Vector(RowRanges(0, 10)))
    }
  }

  test("file versions that are not read are refused by name, if the file is needed") {
    Seq((2, 3) -> "2.3", (0, 4) -> "0.4").foreach {
      case ((major, minor), name) =>
        val old = file("old", 10, Seq(0), Seq(0)).copy(fileMajorVersion = major, fileMinorVersion = minor)
        val table =
          dataset(pb.DataFragment(files = Seq(old, file("new", 10, Seq(1), Seq(0))), physicalRows = 10))
        val e = intercept[UnsupportedLanceFeatureException](tasks(table, Vector(int), 100))
        assert(e.getMessage.contains(s"the file version $name of old"))
        assert(tasks(table, Vector(vector), 100).size == 1)
    }
  }

  test("manifests that contradict themselves are bad data") {
    val uneven = pb.DataFragment(files = Seq(file("a", 10, Seq(0, 1), Seq(0))), physicalRows = 10)
    assert(
      intercept[LanceFormatException](tasks(dataset(uneven), Vector(int), 100)).getMessage
        .contains("has 2 fields and 1 columns")
    )
    val outside = pb.DataFragment(files = Seq(file("../a", 10, Seq(0), Seq(0))), physicalRows = 10)
    intercept[LanceFormatException](tasks(dataset(outside), Vector(int), 100))
  }

  test("a file size that lies does not flood the driver") {
    val huge = pb.DataFragment(files = Seq(file("a", Long.MaxValue, Seq(0), Seq(0))), physicalRows = 1L << 32)
    assert((1 << 16 to (1 << 16) + 1).contains(tasks(dataset(huge), Vector(int), 1).size))
    val negative = pb.DataFragment(files = Seq(file("a", -1, Seq(0), Seq(0))), physicalRows = 10)
    assert(tasks(dataset(negative), Vector(int), 1).size == 1)
  }

  test("few rounds of splits are whole, so that no core waits for the last one") {
    val table = dataset(
      (0 until 10).map(i =>
        pb.DataFragment(i.toLong, Seq(file(s"f$i.lance", 1000000, Seq(0), Seq(0))), physicalRows = 100000)
      ): _*
    )
    def splits(maxBytes: Long, cores: Int): Vector[Long] =
      ScanPlan.splits(table, Vector(int), SplitTarget.Balanced(maxBytes, 0, cores))
        .map(_.tasks.map(_.rows.count).sum)
    val ofTwo = splits(maxBytes = 4900000, cores = 2)
    assert(ofTwo.size == 4 && ofTwo.max < 1.1 * ofTwo.min, "three splits would do")
    assert(splits(maxBytes = 5000000, cores = 2).size == 2)
    assert(splits(maxBytes = 4900000, cores = 1).size == 3)
    assert(splits(maxBytes = 1010000, cores = 2).size == 10, "there are many rounds")
  }
}
