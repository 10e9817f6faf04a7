package io.sparklance.dataset.validation

import io.sparklance.dataset.Dataset
import io.sparklance.table.Versions
import io.sparklance.table.index.IndexSegments

/** Checks index segments: uuids are unique, and segments of one index do not overlap. */
private[validation] object IndexCheck {

  def apply(dataset: Dataset): Vector[Problem] = Problem.found() {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.find(dataset.version).flatMap(versions.readWhole(_).indexSection)
    val segments = section.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    val twice = segments.map(_.uuid).diff(segments.map(_.uuid).distinct).distinct
    twice.map(uuid => Problem(s"two segments of indices have the uuid $uuid")) ++
      dataset.fragments.flatMap { fragment =>
        val covering = segments.filter(_.covers(fragment.id)).groupBy(_.index).filter(_._2.size > 1)
        covering.keys.toVector.sorted.map { index =>
          Problem(s"two segments of the index '$index' cover it", Some(fragment.id))
        }
      }
  }
}
