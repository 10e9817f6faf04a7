package io.sparklance.testkit

import scala.util.Using

import io.sparklance.data.RowRange
import io.sparklance.file.{ColumnRequest, FileReader}
import io.sparklance.io.ObjectStore

/** Whole scans of a file, as text. */
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
      val requests = reader.schema.fields.zipWithIndex.collect {
        case (field, i) if names.forall(_.contains(field.name)) => ColumnRequest(i, field)
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
      requests.indices.map(i => requests(i).field.name -> batches.flatMap(_(i))).toMap
    }
}
