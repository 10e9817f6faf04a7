package io.sparklance.dataset.validation

import io.sparklance.dataset.Dataset
import io.sparklance.table.Versions
import io.sparklance.table.index.{IndexKinds, IndexSegments}

/** Checks index segments: uuids are unique, segments of one index do not overlap, and no compaction has moved
  * rows without telling them.
  */
private[validation] object IndexCheck {

  def apply(dataset: Dataset): Vector[Problem] = Problem.found() {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.find(dataset.version).flatMap(versions.readWhole(_).indexSection)
    val segments = section.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    val twice = segments.map(_.uuid).diff(segments.map(_.uuid).distinct).distinct
    val isMoved = !dataset.hasStableRowIds && segments.exists(_.index == IndexKinds.FragmentReuse)
    val outdated =
      if (isMoved) segments.map(_.index).distinct.filterNot(IndexKinds.isSystem) else Vector.empty
    twice.map(uuid => Problem(s"two segments of indices have the uuid $uuid")) ++
      outdated.map(index =>
        Problem(
          s"a compaction has moved rows without telling the index '$index', so queries may scan instead; rebuild it"
        )
      ) ++
      dataset.fragments.flatMap { fragment =>
        val covering = segments.filter(_.covers(fragment.id)).groupBy(_.index).filter(_._2.size > 1)
        covering.keys.toVector.sorted.map { index =>
          Problem(s"two segments of the index '$index' cover it", Some(fragment.id))
        }
      }
  }
}
