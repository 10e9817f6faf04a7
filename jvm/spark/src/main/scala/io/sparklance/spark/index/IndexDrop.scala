package io.sparklance.spark.index

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.IndexEntries
import io.sparklance.spark.history.Statement
import io.sparklance.spark.session.TableLocation
import io.sparklance.{LanceException, LanceUsageException}

/** Drops indices. Their files stay until clean-up removes the versions that refer to them. */
private[spark] object IndexDrop {

  /** Drops an index. Returns the table afterwards; None if there is no such index. */
  def drop(location: TableLocation, name: String): Option[Dataset] = {
    val dataset = Dataset.open(location.store, location.root)
    val segments = IndexEntries.of(dataset).filter(segment => segment.index == name && !segment.isSystem)
    Option.when(segments.nonEmpty) {
      val operation = IndexEntries.change(Vector.empty, segments)
      IndexBuild.commit(dataset, Statement("DROP INDEX", Map("name" -> name)), operation)
    }
  }

  /** Error for a missing index, with the names of the existing ones. */
  def missing(location: TableLocation, name: String): LanceException = {
    val names = IndexEntries.of(Dataset.open(location.store, location.root))
      .filterNot(_.isSystem).map(_.index).distinct.sorted
    val known = if (names.isEmpty) "it has none" else s"it has ${names.mkString(", ")}"
    new LanceUsageException(s"The table at $location has no index '$name': $known. Check the name.")
  }
}

private[index] object IndexExists {
  def apply(name: String, table: String): LanceException = new LanceUsageException(
    s"The table at $table has an index '$name'. Drop it first, choose another name, or replace it (replace => true)."
  )
}
