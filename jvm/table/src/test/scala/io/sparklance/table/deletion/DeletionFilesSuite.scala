package io.sparklance.table.deletion

import java.io.{ByteArrayOutputStream, DataOutputStream}

import scala.util.{Failure, Random, Success, Try}

import org.roaringbitmap.RoaringBitmap
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{LittleEndian, RowRange, RowRanges, Slice}
import io.sparklance.table.DeletionFileKind
import io.sparklance.testkit.{MemoryStore, TableFixtures}
import io.sparklance.{LanceException, LanceFormatException, UnsupportedLanceFeatureException}

class DeletionFilesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import DeletionFileKind.{ArrowArray, Bitmap}

  private def decode(bytes: Array[Byte], kind: DeletionFileKind, rows: Long, deleted: Option[Long] = None) =
    LanceFormatException.locating(io.sparklance.Location()) {
      DeletionFiles.decode(Slice(bytes), kind, rows, deleted)
    }

  private def serialized(bitmap: RoaringBitmap): Array[Byte] = {
    val out = new ByteArrayOutputStream
    bitmap.serialize(new DataOutputStream(out))
    out.toByteArray
  }

  test("Arrow files: of the reference, plain, and compressed by pyarrow") {
    Seq("zstd", "pyarrow_plain", "pyarrow_zstd").foreach { name =>
      val vector = decode(TableFixtures.golden(s"$name.arrow"), ArrowArray, 100, Some(4))
      assert(vector.cardinality == 4, name)
      assert((0L until 100L).filter(vector.isDeleted) == Seq(3L, 7L, 50L, 99L), name)
    }
  }

  test("an Arrow file compressed by LZ4 is refused by name") {
    val e = intercept[UnsupportedLanceFeatureException] {
      decode(TableFixtures.golden("pyarrow_lz4.arrow"), ArrowArray, 100)
    }
    assert(e.getMessage.contains("LZ4 compression of a deletion file"))
  }

  test("a Roaring bitmap of the reference") {
    val vector = decode(TableFixtures.golden("bitmap.bin"), Bitmap, 20000, Some(8000))
    assert((0L until 20000L).forall(row => vector.isDeleted(row) == (row >= 1000 && row < 9000)))
  }

  test("Roaring bitmaps of any shape, run containers included") {
    val shape = Gen.oneOf(
      Gen.listOf(Gen.chooseNum(0, 200000)).map(RoaringBitmap.bitmapOf(_: _*)),
      Gen.chooseNum(0, 500000).map { n =>
        val b = new RoaringBitmap; b.add(5L, 5L + n); b
      },
      Gen.chooseNum(1, 9).map(step => RoaringBitmap.bitmapOf((0 until 300000 by step): _*))
    )
    forAll(shape, Gen.oneOf(true, false)) { (bitmap, runs) =>
      if (runs) { val _ = bitmap.runOptimize() }
      val vector = decode(serialized(bitmap), Bitmap, 1000000, Some(bitmap.getLongCardinality))
      assert(vector.cardinality == bitmap.getLongCardinality)
      assert(bitmap.toArray.forall(row => vector.isDeleted(row.toLong)))
    }
  }

  private val rowSets: Gen[RowRanges] = Gen
    .listOf(Gen.zip(Gen.chooseNum(0L, 200000L), Gen.oneOf(1L, 3L, 100L, 20000L)))
    .map(starts => RowRanges.of(starts.map { case (start, n) => RowRange(start, start + n) }))

  test("files of both kinds are read again") {
    forAll(rowSets, Gen.oneOf(ArrowArray, Bitmap)) { (rows, kind) =>
      val vector = DeletionVector.of(rows)
      assert(vector.cardinality == rows.count)
      assert(decode(DeletionFiles.encode(vector, kind), kind, 1 << 20, Some(rows.count)) == vector)
    }
  }

  test("union and intersection are those of the rows") {
    forAll(rowSets, rowSets) { (a, b) =>
      val (mine, theirs) = (DeletionVector.of(a), DeletionVector.of(b))
      assert(mine.union(theirs) == DeletionVector.of(a.union(b)))
      assert(mine.intersects(theirs) == !a.intersect(b).isEmpty)
    }
  }

  test("5,000 rows are a bitmap, fewer an Arrow file; the file is named as the manifest says") {
    val store = new MemoryStore
    Seq(1L -> ArrowArray, 4999L -> ArrowArray, 5000L -> Bitmap).foreach { case (n, kind) =>
      val vector = DeletionVector.of(RowRanges(7, 7 + n))
      val file = DeletionFiles.file(readVersion = 5, vector)
      assert(file.kind == kind && file.deletedRows.contains(n) && file.baseId.isEmpty)
      DeletionFiles.write(store, file.path("/t", 3), kind, vector)
      val path = s"/t/_deletions/3-5-${java.lang.Long.toUnsignedString(file.message.id)}.${kind.suffix}"
      assert(DeletionFiles.read(store, path, kind, 10000, Some(n)) == vector)
    }
  }

  test("the highest rows are written, too") {
    val top = DeletionVector.of(RowRanges(0xfffffff0L, 1L << 32))
    Seq(ArrowArray, Bitmap).foreach { kind =>
      assert(decode(DeletionFiles.encode(top, kind), kind, 1L << 32, Some(16)) == top)
    }
  }

  test("a written Arrow file is, byte for byte, one that pyarrow and pylance were seen to read") {
    val bytes = DeletionFiles.encode(DeletionVector.of(RowRanges.ofRows(Array(3L, 7L))), ArrowArray)
    assert(bytes.toSeq == TableFixtures.golden("ours.arrow").toSeq)
  }

  test("live positions are those of rows that are not deleted, in any window") {
    forAll(Gen.listOf(Gen.chooseNum(0, 300)), Gen.chooseNum(0, 300), Gen.chooseNum(0, 100)) {
      (deleted, first, count) =>
        val vector = new DeletionVector(RoaringBitmap.bitmapOf(deleted: _*))
        val out = new Array[Int](count)
        val live = vector.livePositions(first.toLong, count, out)
        assert(out.take(live).toSeq == (0 until count).filterNot(i => deleted.contains(first + i)))
    }
  }

  test("the highest rows that 32 bits address") {
    val top = 0xffffffffL
    val vector = decode(serialized(RoaringBitmap.bitmapOf(-1)), Bitmap, top + 1, Some(1))
    assert(vector.isDeleted(top) && !vector.isDeleted(top - 1) && !vector.isDeleted(top + 1) &&
      !vector.isDeleted(-1))
    val out = new Array[Int](3)
    assert(vector.livePositions(top - 2, 3, out) == 2 && out.take(2).toSeq == Seq(0, 1))
  }

  test("a row beyond the fragment, or another number of rows than the manifest's, is bad data") {
    val bytes = TableFixtures.golden("zstd.arrow")
    assert(decode(bytes, ArrowArray, 100).cardinality == 4)
    val beyond = intercept[LanceFormatException](decode(bytes, ArrowArray, 99))
    assert(beyond.reason == "row 99 of a fragment of 99 rows is deleted")
    val miscounted = intercept[LanceFormatException](decode(bytes, ArrowArray, 100, Some(5)))
    assert(miscounted.reason == "4 rows are deleted, but the manifest says 5")
  }

  test("a failure names the file") {
    val store = new MemoryStore
    store.put("/t/_deletions/0-1-2.bin", Array[Byte](1, 2, 3))
    val e =
      intercept[LanceFormatException](DeletionFiles.read(store, "/t/_deletions/0-1-2.bin", Bitmap, 10, None))
    assert(e.getMessage.contains("/t/_deletions/0-1-2.bin"))
  }

  private val small: Seq[(String, Array[Byte], DeletionFileKind)] = Seq(
    ("zstd.arrow", TableFixtures.golden("zstd.arrow"), ArrowArray),
    ("pyarrow_plain.arrow", TableFixtures.golden("pyarrow_plain.arrow"), ArrowArray),
    ("arrays", serialized(RoaringBitmap.bitmapOf(1, 5, 70000, 70001)), Bitmap),
    (
      "runs",
      { val b = RoaringBitmap.bitmapOf(1 to 90: _*); b.add(70000L, 70900L); b.runOptimize(); serialized(b) },
      Bitmap
    )
  )

  test("a file that is cut short at any length is bad data") {
    small.foreach { case (name, bytes, kind) =>
      bytes.indices.foreach { n =>
        assert(
          Try(decode(bytes.take(n), kind, 100000)).failed.get.isInstanceOf[LanceFormatException],
          s"$name $n"
        )
      }
    }
  }

  test("a file with any byte changed is read or refused, but does nothing worse") {
    val random = new Random(7)
    small.foreach { case (name, bytes, kind) =>
      for (at <- bytes.indices; _ <- 0 until 16)
        Try(decode(bytes.updated(at, random.nextInt().toByte), kind, 100000, None)) match {
          case Success(vector) => assert(vector.cardinality <= 100000 && vector.last < 100000)
          case Failure(_: LanceException) => ()
          case Failure(other) => fail(s"$name, byte $at", other)
        }
    }
  }

  test("Roaring bytes whose order or counts lie are refused") {
    def reason(change: Array[Byte] => Unit, bitmap: RoaringBitmap): String = {
      val bytes = serialized(bitmap)
      change(bytes)
      intercept[LanceFormatException](decode(bytes, Bitmap, 1L << 32)).reason
    }
    val arrays = RoaringBitmap.bitmapOf(1, 5, 70000)
    val runs = RoaringBitmap.bitmapOf(10 to 90: _*)
    runs.runOptimize()
    val dense = RoaringBitmap.bitmapOf((0 until 20000 by 2): _*)
    assert(reason(LittleEndian.putShort(_, 12, 0), arrays).contains("key 0 after 0"))
    assert(reason(b => LittleEndian.putShort(b, b.length - 4, 0), arrays).contains("value 0 after 1"))
    assert(reason(LittleEndian.putInt(_, 4, -1), arrays).contains("-1 containers"))
    assert(reason(LittleEndian.putInt(_, 4, 65537), arrays).contains("65537 containers"))
    assert(reason(LittleEndian.putInt(_, 4, 65536), arrays).contains("array container claims bytes"))
    assert(reason(LittleEndian.putInt(_, 0, 5), arrays).contains("cookie 5"))
    assert(reason(b => LittleEndian.putShort(b, b.length - 2, -1), runs).contains("a run at 10 of 65536"))
    assert(reason(b => LittleEndian.putShort(b, b.length - 2, 5), runs).contains("runs of 6 values, not 81"))
    assert(reason(b => b(b.length - 1) = -1, dense).contains("bits set, not 10000"))
  }

  test("an Arrow file of an absurd number of rows allocates nothing of that size") {
    val bytes = TableFixtures.golden("pyarrow_plain.arrow")
    // The only i64 of value 4 before the body's buffers is the length of the batch; the second is that of its
    // node.
    val at = bytes.indices.filter(i => i + 8 <= bytes.length && LittleEndian.long(bytes, i) == 4L)
    assert(at.nonEmpty)
    at.foreach { i =>
      val changed = bytes.clone()
      LittleEndian.putLong(changed, i, 1L << 40)
      Try(decode(changed, ArrowArray, 1L << 32)) match {
        case Success(vector) => assert(vector.cardinality == 4)
        case Failure(e) => assert(e.isInstanceOf[LanceFormatException], e)
      }
    }
  }

  test("an Arrow file of another schema is refused") {
    val bytes = TableFixtures.golden("pyarrow_plain.arrow")
    // The footer ends with its copy of the schema, whose last object is Int { bitWidth: 32 }.
    val width = bytes.lastIndexOfSlice(Seq[Byte](32, 0, 0, 0))
    val e = intercept[LanceFormatException](decode(bytes.updated(width, 64.toByte), ArrowArray, 100))
    assert(e.reason == "the schema of a deletion file is not one column of little-endian uint32")
  }
}
