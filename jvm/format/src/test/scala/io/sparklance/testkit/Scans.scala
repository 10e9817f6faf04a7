package io.sparklance.testkit

import scala.util.Using

import io.sparklance.data.RowRange
import io.sparklance.file.{ColumnRequest, FileColumns, FileReader}
import io.sparklance.io.ObjectStore

/** Whole scans of a file, as text. Each leaf is a column of its own, with the structs and lists around it. */
object Scans {

  /** The values of all columns, or of those named. */
  def read(
      store: ObjectStore,
      path: String,
      rows: RowRange = RowRange(0, Long.MaxValue),
      names: Option[Set[String]] = None,
      batchRows: Int = 1000
  ): Map[String, Vector[String]] =
    Using.resource(FileReader.open(store, path, None)) { reader =>
      val requests = reader.schema.fields.flatMap(FileColumns.leaves).zipWithIndex.collect {
        case (leaf, i) if names.forall(_.contains(leaf.name)) => ColumnRequest(i, leaf)
      }
      val scan = reader.scan(requests, rows, reader.numRows)
      val batches = Iterator
        .continually {
          val n = scan.fill(batchRows)
          scan.advance(n)
          val batch = scan.columns.map(ColumnText.of(_, n))
          scan.columns.foreach(_.discardHead(n))
          (n, batch)
        }
        .takeWhile(_._1 > 0)
        .map(_._2)
        .toVector
      requests.indices.map(i => requests(i).leaf.name -> batches.flatMap(_(i))).toMap
    }
}
