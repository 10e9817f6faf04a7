package io.sparklance.dataset.changes

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.schema.LanceSchema

/** The changes of the schema in a range of versions.
  *
  * @param steps
  *   versions that changed it, ascending, each with the map from the schema before
  */
final private[changes] class SchemaSteps private (steps: Vector[(Long, FieldMap)]) {

  /** Returns the map from the fields of a version to those of a later one. */
  def between(earlier: Dataset, later: Dataset): FieldMap = steps
    .collect { case (version, map) if version > earlier.version && version <= later.version => map }
    .foldLeft(FieldMap.identity(earlier.schema))(_.andThen(_))
}

private[changes] object SchemaSteps {

  /** @param steps
    *   versions in order
    */
  def of(log: VersionLog, steps: Vector[VersionStep]): SchemaSteps = {
    val points = steps.filter(step => log.has(step.version - 1) && mayChange(step.effect))
    new SchemaSteps(points.map { point =>
      point.version -> step(point, log.open(point.version - 1).schema, log.open(point.version).schema)
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
      case CommitEffect.Replaced("Overwrite") => FieldMap.named(before, after)
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
