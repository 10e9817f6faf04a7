package io.sparklance.dataset.changes

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}
import io.sparklance.schema.{Field, LanceSchema}
import io.sparklance.table.{DataFile, Fragment}

/** Fields of a version in terms of a later version, the target: its columns may have other ids there, or may
  * be gone, and another column may have taken their id.
  *
  * @param ids
  *   ids in the target by ids in the version; fields that are gone have none
  * @param target
  *   all ids of the target
  */
final private[changes] case class FieldMap(ids: Map[Int, Int], target: Set[Int]) {

  /** Returns the map to the target of `later`, whose version is the target of this one. */
  def andThen(later: FieldMap): FieldMap =
    FieldMap(for ((id, next) <- ids; last <- later.ids.get(next)) yield id -> last, later.target)

  /** Returns a fragment whose files name their fields as the target does. */
  def applyTo(fragment: Fragment): Fragment =
    if (fragment.files.forall(_.fieldIds.forall(id => renumbered(id) == id))) fragment
    else Fragment(fragment.message.copy(files = fragment.files.map(inTarget)))

  private def renumbered(id: Int): Int =
    if (id < 0) id else ids.getOrElse(id, if (target(id)) Fragment.Invalidated else id)

  private def inTarget(file: DataFile): pb.DataFile = {
    // Files of version 0.1 find their columns by the ids of fields.
    if (file.version.contains(FileVersion.V0_1))
      throw new UnsupportedLanceFeatureException(
        s"reading changes in files of version 0.1 (${file.path}) of columns that have other ids now"
      )
    file.message.copy(fields = file.message.fields.map(renumbered))
  }
}

private[changes] object FieldMap {
  def identity(schema: LanceSchema): FieldMap = {
    val ids = schema.preOrder.map(_.id)
    FieldMap(ids.map(id => id -> id).toMap, ids.toSet)
  }

  /** Returns the map from a version to the next, which keeps the ids of columns that stay. */
  def kept(before: LanceSchema, after: LanceSchema): FieldMap = {
    val left = after.preOrder.map(_.id).toSet
    FieldMap(before.preOrder.map(_.id).filter(left).map(id => id -> id).toMap, left)
  }

  /** Returns the map from a version to one that replaced it, with ids of its own: columns are found by their
    * names and types.
    */
  def named(before: LanceSchema, after: LanceSchema): FieldMap = {
    val there = paths(after).map { case (path, field) => path -> field }.toMap
    val same = paths(before).flatMap { case (path, field) =>
      there.get(path).filter(_.logicalType == field.logicalType).map(field.id -> _.id)
    }
    FieldMap(same.toMap, after.preOrder.map(_.id).toSet)
  }

  /** Returns the first column that has another type after a step than before. */
  def retyped(before: LanceSchema, after: LanceSchema, step: FieldMap): Option[String] = {
    val there = paths(after).toMap
    paths(before).collectFirst {
      case (path, field) if there.get(path).exists(now => !step.ids.get(field.id).contains(now.id)) =>
        path.mkString(".")
    }
  }

  private def paths(schema: LanceSchema): Vector[(Vector[String], Field)] = {
    def within(field: Field, above: Vector[String]): Vector[(Vector[String], Field)] = {
      val path = above :+ field.name
      (path -> field) +: field.children.flatMap(within(_, path))
    }
    schema.fields.flatMap(within(_, Vector.empty))
  }
}
