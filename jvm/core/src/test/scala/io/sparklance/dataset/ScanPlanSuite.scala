package io.sparklance.dataset

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.RowRange
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.{Field, LanceSchema, LogicalType, SchemaCodec}
import io.sparklance.table.deletion.DeletionFileKind
import io.sparklance.table.{Manifest, ManifestCodec}
import io.sparklance.testkit.MemoryStore
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
      fragments = fragments
    )
    store.put(
      "/t/_versions/18446744073709551614.manifest",
      ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "u"))
    )
    Dataset.open(store, "/t")
  }

  private val both =
    pb.DataFragment(id = 3, files = Seq(file("a.lance", 4100000, Seq(0, 1), Seq(0, 1))), physicalRows = 1000)

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
      Some(DeletionSource("/t/_deletions/3-1-2.bin", DeletionFileKind.Bitmap, 5)),
      RowRange(0, 1000),
      Vector(vector, int)
    )
    assert(ScanPlan.tasks(dataset(deleted), Vector(vector, int), 1 << 30) == Vector(expected))
  }

  test("a fragment is cut by the bytes of the projected columns, not of the file") {
    val table = dataset(both)
    assert(ScanPlan.tasks(table, Vector(vector), 1000000).size == 5)
    assert(ScanPlan.tasks(table, Vector(int), 1000000).size == 1)
  }

  test("tasks cover every row once, in order, in about equal parts") {
    forAll(Gen.chooseNum(1L, 5000L), Gen.chooseNum(1L, 5000000L), Gen.chooseNum(1L, 100000L)) {
      (rows, size, target) =>
        val one = pb.DataFragment(files = Seq(file("a", size, Seq(0), Seq(0))), physicalRows = rows)
        val ranges = ScanPlan.tasks(dataset(one), Vector(int), target).map(_.rows)
        assert(ranges.head.start == 0 && ranges.last.end == rows)
        ranges.zip(ranges.drop(1)).foreach { case (a, b) => assert(a.end == b.start) }
        assert(ranges.map(_.length).min >= 1 && ranges.map(_.length).max - ranges.map(_.length).min <= 1)
    }
  }

  test("files without a projected column are left out; columns that no file has leave none") {
    val split = pb.DataFragment(
      files = Seq(file("a", 10, Seq(0), Seq(0)), file("b", 10, Seq(1), Seq(0))),
      physicalRows = 10
    )
    assert(ScanPlan.tasks(dataset(split), Vector(vector), 100).map(_.files.map(_.path)) ==
      Vector(Vector("/t/data/b")))
    assert(ScanPlan.tasks(dataset(split), Vector(later), 100).map(_.files) == Vector(Vector.empty))
    assert(ScanPlan.tasks(dataset(split), Vector.empty, 100).map(_.rows) == Vector(RowRange(0, 10)))
  }

  test("columns with negative field ids are no columns of the table") {
    val hidden = pb.DataFragment(files = Seq(file("a", 10, Seq(-2, 0, -3), Seq(0, 1, 2))), physicalRows = 10)
    val sources = ScanPlan.tasks(dataset(hidden), Vector(int), 100).flatMap(_.files)
    assert(sources == Vector(FileSource("/t/data/a", Some(10), Vector(0), Vector(1))))
  }

  test("a file of unknown size is planned by its rows") {
    val unknown = pb.DataFragment(files = Seq(file("a", 0, Seq(0, 1), Seq(0, 1))), physicalRows = 1000)
    val tasks = ScanPlan.tasks(dataset(unknown), Vector(vector), 1000000)
    assert(tasks.size == 5 && tasks.head.files.head.size.isEmpty)
  }

  test("files of version 2.0 are read, whichever of its two numbers the manifest has") {
    for ((major, minor) <- Seq((2, 0), (0, 3))) {
      val old = file("old", 10, Seq(0), Seq(0)).copy(fileMajorVersion = major, fileMinorVersion = minor)
      val table = dataset(pb.DataFragment(files = Seq(old), physicalRows = 10))
      assert(ScanPlan.tasks(table, Vector(int), 100).map(_.rows) == Vector(RowRange(0, 10)))
    }
  }

  test("file versions that are not read are refused by name, if the file is needed") {
    Seq((2, 3) -> "2.3", (0, 2) -> "0.1").foreach {
      case ((major, minor), name) =>
        val old = file("old", 10, Seq(0), Seq(0)).copy(fileMajorVersion = major, fileMinorVersion = minor)
        val table =
          dataset(pb.DataFragment(files = Seq(old, file("new", 10, Seq(1), Seq(0))), physicalRows = 10))
        val e = intercept[UnsupportedLanceFeatureException](ScanPlan.tasks(table, Vector(int), 100))
        assert(e.getMessage.contains(s"the file version $name of old"))
        assert(ScanPlan.tasks(table, Vector(vector), 100).size == 1)
    }
  }

  test("manifests that contradict themselves are bad data") {
    val uneven = pb.DataFragment(files = Seq(file("a", 10, Seq(0, 1), Seq(0))), physicalRows = 10)
    assert(
      intercept[LanceFormatException](ScanPlan.tasks(dataset(uneven), Vector(int), 100)).getMessage
        .contains("has 2 fields and 1 columns")
    )
    val outside = pb.DataFragment(files = Seq(file("../a", 10, Seq(0), Seq(0))), physicalRows = 10)
    intercept[LanceFormatException](ScanPlan.tasks(dataset(outside), Vector(int), 100))
  }

  test("a file size that lies does not flood the driver") {
    val huge = pb.DataFragment(files = Seq(file("a", Long.MaxValue, Seq(0), Seq(0))), physicalRows = 1L << 32)
    assert(ScanPlan.tasks(dataset(huge), Vector(int), 1).size == 1 << 16)
    val negative = pb.DataFragment(files = Seq(file("a", -1, Seq(0), Seq(0))), physicalRows = 10)
    assert(ScanPlan.tasks(dataset(negative), Vector(int), 1).size == 1)
  }
}
