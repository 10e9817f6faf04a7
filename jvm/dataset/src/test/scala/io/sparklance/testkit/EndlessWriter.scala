package io.sparklance.testkit

import scala.util.Random

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations}
import io.sparklance.io.LocalStore
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.FileFixtures.written

/** A process that commits to a table until it is killed: it says how many rows there will be before each
  * commit, and the version after it. No data file is written, since none is read.
  */
object EndlessWriter {

  def main(args: Array[String]): Unit = {
    val root = args.head
    var table = Dataset.open(LocalStore, root)
    while (true) {
      val (operation, rows) = next(table)
      println(s"rows ${table.countRows + rows}")
      table = table.commit(operation).dataset
      println(s"version ${table.version}")
    }
  }

  /** An operation, and how many rows it adds. */
  private def next(table: Dataset): (Operation, Int) = {
    val full = table.fragments.filter(_.deletionFile.isEmpty).takeRight(3)
    val row = full.headOption.map { f =>
      RowRanges.ofRows(Array(RowAddress.of(f.id, Random.nextLong(f.physicalRows.get))))
    }
    (Random.nextInt(3), row) match {
      case (1, Some(address)) => RowOperations.delete(table, address, "one") -> -1
      case (2, Some(address)) =>
        val file = written(s"u${table.version}", rows = 3)
        RowOperations.update(table, address, Vector(MovedRows(file, Array.emptyLongArray))) -> 2
      case (_, _) => Dataset.appending(Vector(written(s"a${table.version}"))) -> 10
    }
  }
}
