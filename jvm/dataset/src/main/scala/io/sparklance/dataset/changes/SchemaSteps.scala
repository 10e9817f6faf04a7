package io.sparklance.dataset.changes

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.schema.LanceSchema

/** The changes of the schema in a range of versions.
  *
  * @param steps
  *   versions that changed it, ascending, each with the map from the schema before
  */
final private[changes] class SchemaSteps private (steps: Vector[SchemaStep]) {

  /** Returns the map from the fields of a version to those of a later one. A version that was restored has
    * its old columns, so steps before do not count.
    */
  def between(earlier: Dataset, later: Dataset): FieldMap = {
    val within = steps.filter(step => step.version > earlier.version && step.version <= later.version)
    val restored = within.lastIndexWhere(_.restored.isDefined)
    val first = within.lift(restored).flatMap(_.restored).fold(FieldMap.identity(earlier.schema))(
      FieldMap.named(earlier.schema, _)
    )
    within.drop(restored + 1).map(_.map).foldLeft(first)(_.andThen(_))
  }
}

/** A version that changed the schema.
  *
  * @param map
  *   the map from the schema before
  * @param restored
  *   the schema, if the version restored an older one
  */
final private case class SchemaStep(version: Long, map: FieldMap, restored: Option[LanceSchema])

private[changes] object SchemaSteps {

  /** @param steps
    *   versions in order
    */
  def of(log: VersionLog, steps: Vector[VersionStep]): SchemaSteps = {
    val points = steps.filter(step => log.has(step.version - 1) && mayChange(step.effect))
    new SchemaSteps(points.map { point =>
      val (before, after) = (log.open(point.version - 1).schema, log.open(point.version).schema)
      val isRestored = point.effect == CommitEffect.Replaced("Restore")
      SchemaStep(point.version, step(point, before, after), Option.when(isRestored)(after))
    })
  }

  private def mayChange(effect: CommitEffect): Boolean = effect match {
    case CommitEffect.Columns | CommitEffect.Merged | CommitEffect.Replaced(_) | CommitEffect.Other(_) |
        CommitEffect.Unrecorded =>
      true
    case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Appended(
          _
        ) | CommitEffect.Deleted | CommitEffect.Changed |
        CommitEffect.Began =>
      false
  }

  private def step(point: VersionStep, before: LanceSchema, after: LanceSchema): FieldMap = {
    val map = point.effect match {
      case CommitEffect.Replaced(_) => FieldMap.named(before, after)
      case _ => FieldMap.kept(before, after)
    }
    FieldMap.retyped(before, after, map).foreach { column =>
      throw new LanceUsageException(
        s"Version ${point.version} changed the type of column '$column', so earlier rows cannot be shown with the types of today. Read the changes " +
          s"from version ${point.version} on, or those up to version ${point.version - 1} with a read of that version."
      )
    }
    map
  }
}
