package io.sparklance.dataset.validation

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.{MetadataColumn, NumberSource}
import io.sparklance.table.Fragment

/** Checks stable row ids (each row has one, live rows have distinct ones, the next id is above all) and row
  * versions.
  */
private[validation] object RowIdCheck {

  def apply(dataset: Dataset): Vector[Problem] =
    versions(dataset) ++ (if (dataset.hasStableRowIds) ids(dataset) else Vector.empty)

  private def versions(dataset: Dataset): Vector[Problem] = for {
    fragment <- dataset.fragments
    column <- Vector(MetadataColumn.RowCreatedAtVersion, MetadataColumn.RowLastUpdatedAtVersion)
    problem <- Problem.found(Some(fragment.id)) {
      dataset.numbers(fragment, column).foreach(_.parse(dataset.physicalRows(fragment)))
      Vector.empty
    }
  } yield problem

  private def ids(dataset: Dataset): Vector[Problem] = {
    val next = dataset.manifest.message.nextRowId
    val ofFragments = dataset.fragments.map { fragment =>
      var live = Array.emptyLongArray
      val problems = Problem.found(Some(fragment.id)) {
        live = liveIds(dataset, fragment)
        live.find(id => java.lang.Long.compareUnsigned(id, next) >= 0).toVector.map { id =>
          Problem(s"a row has the id $id, though the next one to be given is $next", Some(fragment.id))
        }
      }
      (live, problems)
    }
    ofFragments.flatMap(_._2) ++ repeated(ofFragments.flatMap(_._1).toArray)
  }

  private def liveIds(dataset: Dataset, fragment: Fragment): Array[Long] = {
    val rows = dataset.physicalRows(fragment)
    val deleted = dataset.deletionVector(fragment)
    dataset.numbers(fragment, MetadataColumn.RowId).fold(Array.emptyLongArray) { source: NumberSource =>
      val ids = source.parse(rows)
      Iterator.iterate(0L)(_ + 1).takeWhile(_ < rows).filterNot(r => deleted.exists(_.isDeleted(r))).map(ids(
        _
      )).toArray
    }
  }

  private def repeated(ids: Array[Long]): Vector[Problem] = {
    java.util.Arrays.sort(ids)
    (1 until ids.length).find(i => ids(i) == ids(i - 1)).toVector.map { i =>
      Problem(s"two rows have the id ${ids(i)}")
    }
  }
}
