package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.write.RowLevelOperation.Command

import io.sparklance.data.RowRanges
import io.sparklance.dataset.{Dataset, RowOperations, RowSet}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.isolation.StatementIsolation
import io.sparklance.spark.options.CommitOptions
import io.sparklance.spark.read.MetadataColumnPredicates
import io.sparklance.spark.write.{RowCounts, WriteCommit}

/** A DELETE of rows that the manifest identifies: all rows, whole fragments, or rows selected by address. It
  * runs no job and reads no data.
  */
private[spark] object ManifestDeletion {

  /** Returns the rows that satisfy all predicates, if the manifest identifies them. */
  def rows(dataset: Dataset, predicates: Array[Predicate]): Option[RowRanges] = {
    val places = new MetadataColumnPredicates(dataset)
    predicates.foldLeft(Option(RowRanges.all)) { (rows, predicate) =>
      for (some <- rows; others <- places.selection(predicate)) yield some.intersect(others)
    }
  }

  /** Deletes rows. A serializable DELETE goes beside no added rows: which of them it would select is not
    * known.
    */
  def commit(dataset: Dataset, rows: RowRanges, predicate: String, options: CommitOptions): Unit = {
    val gone = RowSet.live(dataset, rows)
    if (!gone.isEmpty && !WriteCommit.isDone(dataset, options)) {
      val counts = RowCounts(inserted = 0, updated = 0, deleted = gone.count)
      val statement = Statement(Command.DELETE.name, Map("predicate" -> predicate))
      val operation = RowOperations.delete(dataset, gone, predicate)
      val properties = RowLevelCommit.properties(dataset, statement, operation, counts, options)
      val isolation = StatementIsolation.none.reading(StatementIsolation.unknown(Command.DELETE))
      val _ = dataset.commit(operation, properties, isolation.guard(dataset, options, Vector.empty))
    }
  }
}
