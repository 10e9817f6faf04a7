package io.sparklance.dataset

import scala.util.{Random, Using}

import org.roaringbitmap.RoaringBitmap
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema, SchemaCodec}
import io.sparklance.table.{Manifest, ManifestCodec}
import io.sparklance.testkit.{ColumnText, MemoryStore, RandomColumns}

/** Splits of whole tables, and what reading them brings. */
class SplitSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val fields = RandomColumns.fields(
    Vector(Integer(64, signed = true), Utf8(large = false), FixedSizeList(FloatingPoint(32), 80))
  )

  /** A table of fragments with so many rows, from each of which every `step`-th row is deleted, and the texts of its rows. */
  private def table(
      fragments: Vector[(Int, Option[Int])],
      maxPageBytes: Long
  ): (Dataset, Vector[Vector[String]]) = {
    val store = new MemoryStore
    val random = new Random(5)
    val written = fragments.zipWithIndex.map { case ((rows, step), id) =>
      val (file, texts) = write(store, rows, maxPageBytes, random)
      val gone = step.toVector.flatMap(0 until rows by _)
      val live = (0 until rows).filterNot(gone.toSet)
      (message(store, id, file, gone), texts.map(column => live.map(column).toVector))
    }
    val texts = fields.indices.toVector.map(i => written.flatMap(_._2(i)))
    (open(store, written.map(_._1)), texts)
  }

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

  private def open(store: MemoryStore, fragments: Seq[pb.DataFragment]): Dataset = {
    val message =
      pb.Manifest(version = 1, fields = SchemaCodec.encodeFields(LanceSchema(fields)), fragments = fragments)
    val bytes = ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "u"))
    store.put("/t/_versions/18446744073709551614.manifest", bytes)
    Dataset.open(store, "/t")
  }

  private def read(dataset: Dataset, projection: Vector[Field], split: Split): Vector[Vector[String]] =
    Using.resource(new SplitReader(dataset.store, split, batchRows = 64)) { reader =>
      val batches = Iterator.continually(reader.next()).takeWhile(identity).map { _ =>
        reader.columns.map(ColumnText.of(_, reader.rowCount))
      }.toVector
      projection.indices.toVector.map(i => batches.flatMap(_(i)))
    }

  test("the union of splits is every live row once, in order, wherever they are cut") {
    val (dataset, texts) =
      table(
        Vector(300 -> None, 200 -> Some(3), 7 -> Some(1), 1 -> None, 400 -> Some(7)),
        maxPageBytes = 20000
      )
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
    val (dataset, texts) = table(Vector(5 -> Some(1), 5 -> Some(1), 5 -> Some(2)), maxPageBytes = 1000)
    val splits = ScanPlan.splits(dataset, fields, SplitTarget.Rows(1000))
    assert(splits.size == 1 && read(dataset, fields, splits.head) == texts)
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
    val dataset = Dataset.create(store, "/t", LanceSchema(vectors), FileVersion.V2_2, Vector(writer.finish()))
    val page = rows * 768L * 4
    val splits = ScanPlan.splits(dataset, vectors, SplitTarget.Balanced(1 << 30, 1 << 20, 4))
    assert(splits.map(_.tasks.map(_.rows.length)) == Vector.fill(4)(Vector(2000)))
    splits.foreach { split =>
      store.forgetReads()
      Using.resource(new SplitReader(store, split, 1000))(r => while (r.next()) assert(r.rowCount > 0))
      assert(store.reads.map(_.length).sum < page / 4 + (128 << 10))
    }
  }
}
