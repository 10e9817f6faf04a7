package io.sparklance.fuzz

import scala.util.Using

import io.sparklance.data._
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.blob.BlobReader
import io.sparklance.dataset.scan.{FragmentReader, FragmentTask, ScanPlan, SplitTarget}
import io.sparklance.file.FileReader
import io.sparklance.io.ObjectStore

/** The content of a table, for comparison.
  *
  * @param columns
  *   a hash of all values of each column
  */
final case class TableContent(rows: Long, columns: Map[String, Long])

object TableContent {

  /** More rows than any specimen has: fields that no file has are null in as many rows as a manifest likes to
    * tell.
    */
  final private val EnoughRows = 1L << 18

  /** Yields the fewest tasks: their number depends on the sizes in manifests, and each task opens its files.
    */
  final private val TaskBytes = Long.MaxValue
  final private val BatchRows = 1000

  /** Reads all there is of a table, except for the columns of some names. A reader that shows what is not
    * there makes this fail with a [[Lie]].
    */
  def read(store: ObjectStore, root: String, except: Set[String]): TableContent = {
    val dataset = Dataset.open(store, root)
    val projection = dataset.schema.fields.filterNot(field => except(field.name))
    val tasks = ScanPlan.splits(dataset, projection, SplitTarget.Bytes(TaskBytes)).flatMap(_.tasks)
    val hashes = Array.fill(projection.size)(17L)
    val rows = tasks.map(readTask(store, _, hashes)).sum
    tasks.flatMap(_.files).map(_.path).distinct.foreach(readSchema(store, _))
    if (rows < EnoughRows && rows != dataset.countRows)
      throw new Lie(s"$rows rows were read of a table that counts ${dataset.countRows}")
    val _ = dataset.versions
    TableContent(rows, projection.map(_.name).zip(hashes).toMap)
  }

  private def readTask(store: ObjectStore, task: FragmentTask, hashes: Array[Long]): Long =
    Using.resource(FragmentReader.open(store, task, BatchRows)) { reader =>
      val blobs = task.projection.map(f => Option.when(f.isBlob)(new BlobReader(_ => store, f)))
      var rows = 0L
      while (rows < EnoughRows && reader.next()) {
        rows += reader.rowCount
        reader.columns.zipWithIndex.foreach { case (column, i) =>
          check(column, reader.rowCount)
          hashes(i) = hash(column, reader.rowCount, hashes(i))
          blobs(i).foreach { b =>
            b.show(task, column.values)
            hashes(i) = hashBytes(b, column, reader.rowCount, hashes(i))
          }
        }
      }
      rows
    }

  private def readSchema(store: ObjectStore, path: String): Unit =
    Using.resource(FileReader.open(store, path, None)) { reader =>
      val _ = (reader.numRows, reader.schema)
    }

  /** That `rows` values and flags are there and lie inside their arrays. */
  private def check(column: Column, rows: Int): Unit = {
    if (column.length < rows || column.nulls.length != column.length)
      throw new Lie(s"$rows rows in a column of ${column.length} values and ${column.nulls.length} flags")
    check(column.values, rows)
  }

  private def check(block: DataBlock, n: Int): Unit = block match {
    case b: Fixed8Block => inside(n, b.values.length)
    case b: Fixed16Block => inside(n, b.values.length)
    case b: Fixed32Block => inside(n, b.values.length)
    case b: Fixed64Block => inside(n, b.values.length)
    case b: FixedBytesBlock => inside(n * b.width.toLong, b.bytes.length)
    case b: VariableBlock => check(b.offsets, n, b.bytes.length)
    case b: FixedSizeListBlock =>
      inside(n * b.dimension.toLong, b.items.length)
      check(b.items, n * b.dimension)
    case b: StructBlock => b.children.foreach(check(_, n))
    case b: ListBlock =>
      check(b.offsets, n, b.items.length)
      check(b.items, b.offsets(n))
  }

  private def check(offsets: Array[Int], n: Int, end: Int): Unit = {
    inside(n + 1L, offsets.length)
    if (offsets(0) != 0 || (0 until n).exists(i => offsets(i) > offsets(i + 1)))
      throw new Lie("offsets do not ascend from 0")
    inside(offsets(n).toLong, end)
  }

  private def inside(wanted: Long, of: Int): Unit =
    if (wanted > of) throw new Lie(s"$wanted values, but an array of $of")

  private def hash(column: Column, rows: Int, start: Long): Long = {
    var h = start
    var i = 0
    while (i < rows) {
      h = hashAt(column, i, h)
      i += 1
    }
    h
  }

  private def hashBytes(blobs: BlobReader, column: Column, rows: Int, start: Long): Long =
    (0 until rows).filterNot(column.nulls.isNull).foldLeft(start) { (h, row) =>
      val bytes = blobs.bytes(row)
      hash(bytes, 0, bytes.length, h)
    }

  private def hashAt(column: Column, i: Int, h: Long): Long =
    if (column.nulls.isNull(i)) mix(h, 7) else hash(column.values, i, h)

  private def hash(block: DataBlock, i: Int, h: Long): Long = block match {
    case b: Fixed8Block => mix(h, b.values(i).toLong)
    case b: Fixed16Block => mix(h, b.values(i).toLong)
    case b: Fixed32Block => mix(h, b.values(i).toLong)
    case b: Fixed64Block => mix(h, b.values(i))
    case b: FixedBytesBlock => hash(b.bytes, i * b.width, (i + 1) * b.width, h)
    case b: VariableBlock => hash(b.bytes, b.offsets(i), b.offsets(i + 1), h)
    case b: FixedSizeListBlock =>
      (i * b.dimension until (i + 1) * b.dimension).foldLeft(h)((h, item) =>
        if (b.itemNulls.isNull(item)) mix(h, 7) else hash(b.items, item, h)
      )
    case b: StructBlock => b.children.foldLeft(h)((h, child) => hashAt(child, i, h))
    case b: ListBlock =>
      (b.offsets(i) until b.offsets(i + 1)).foldLeft(mix(h, 3))((h, item) => hashAt(b.items, item, h))
  }

  private def hash(bytes: Array[Byte], from: Int, to: Int, start: Long): Long = {
    var h = mix(start, to.toLong - from)
    var i = from
    while (i < to) {
      h = h * 31 + bytes(i)
      i += 1
    }
    h
  }

  private def mix(h: Long, value: Long): Long = (h ^ value) * 0x9e3779b97f4a7c15L + (h >>> 29)
}

/** A reader shows what contradicts itself. */
final class Lie(message: String) extends RuntimeException(message)
