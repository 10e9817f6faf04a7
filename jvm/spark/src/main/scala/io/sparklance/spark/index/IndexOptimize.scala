package io.sparklance.spark.index

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.index.build.{IndexEntries, IndexedColumn, SegmentPlan, StoredSegment}
import io.sparklance.spark.session.TableLocation

/** An index that was brought up to date.
  *
  * @param version
  *   version of the table that has its new segment
  * @param fragments
  *   number of fragments that the new segment covers
  * @param replaced
  *   number of segments that it replaced
  */
final private[spark] case class OptimizedIndex(name: String, version: Long, fragments: Int, replaced: Int)

/** Brings indices up to date: indexes the fragments that no segment covers, and merges segments. Each index
  * is a commit of its own.
  *
  * @param merging
  *   existing segments to merge with the new one
  * @param retrains
  *   whether to build indices again as a whole
  */
final private[spark] class IndexOptimize(location: TableLocation, merging: Merging, retrains: Boolean) {

  /** @param names names of indices; all that can be built if empty */
  def run(names: Vector[String]): Vector[OptimizedIndex] = {
    val existing = segments(open)
    names.find(name => !existing.exists(_.index == name)).foreach(name =>
      throw IndexDrop.missing(location, name)
    )
    if (names.isEmpty) all(_ => true) else names.distinct.flatMap(optimize(_, isNamed = true))
  }

  /** Optimizes chosen indices, except those that cannot be built. */
  def all(chosen: String => Boolean): Vector[OptimizedIndex] =
    segments(open).map(_.index).distinct.filter(chosen).flatMap(optimize(_, isNamed = false))

  /** Names of indices that cannot be built here. */
  def unbuildable: Set[String] = {
    val dataset = open
    segments(dataset).groupBy(_.index).collect {
      case (name, own) if buildable(dataset, own).isEmpty => name
    }.toSet
  }

  private def optimize(name: String, isNamed: Boolean): Option[OptimizedIndex] = {
    val dataset = open
    val own = segments(dataset).filter(_.index == name)
    buildable(dataset, own) match {
      case Some((recipe, column)) =>
        val merged = Merging.count(merging, dataset, own)
        SegmentPlan.of(dataset, own, recipe.details(dataset), recipe.numbers, merged, retrains).map { plan =>
          val work = new IndexWork(location, dataset, column, recipe.numbers, plan.fragments)
          val committed = new IndexBuild(location).run(name, "OPTIMIZE INDEX", recipe, work, plan.replaced)
          OptimizedIndex(name, committed.version, plan.fragments.size, plan.replaced.size)
        }
      case None if isNamed && own.nonEmpty => throw unsupported(name, own.head)
      case None => None
    }
  }

  /** Returns None for kinds that cannot be built here. */
  private def buildable(
      dataset: Dataset,
      own: Vector[StoredSegment]
  ): Option[(IndexRecipe, IndexedColumn)] = for {
    segment <- own.headOption
    Vector(fieldId) <- Some(segment.fieldIds)
    column <- IndexedColumn.of(dataset.schema, fieldId)
    recipe <- IndexRecipe.stored(dataset, column, own, retrains)
    if recipe.fits(column)
  } yield (recipe, column)

  private def segments(dataset: Dataset) = IndexEntries.of(dataset).filterNot(_.isSystem)

  private def open: Dataset = Dataset.open(location.store, location.root)

  private def unsupported(name: String, segment: StoredSegment) = new LanceUsageException(
    s"The index '$name' is of type ${segment.kind}, which cannot be built here. Bring it up to date with the " +
      "software that built it."
  )
}
