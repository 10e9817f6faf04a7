package io.sparklance.spark.isolation

import io.sparklance.dataset.Dataset
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{Fragment, Manifest}

/** Fragments with rows, or with values, that others have added since a version.
  *
  * @param columns
  *   top-level columns whose values count; None for all
  */
final private[isolation] class AddedFragments(dataset: Dataset, columns: Option[Set[String]]) {

  /** Ids of the columns' fields. */
  val fields: Set[Int] = dataset.schema.fields
    .filter(field => columns.forall(_(field.name)))
    .flatMap(_.preOrder.map(_.id)).toSet

  private val known = dataset.fragments.iterator.map(f => f.id -> state(f)).toMap
  private var moved = Set.empty[Long]
  private var passed = Map.empty[Long, Set[String]]

  /** Takes note of compactions: fragments that hold only rows of known ones. */
  def note(others: Vector[Operation]): Unit = others.foreach {
    case Operation.Rewrite(message) =>
      for (group <- message.groups if group.oldFragments.forall(f => known.contains(f.id) || moved(f.id)))
        moved ++= group.newFragments.map(_.id).filterNot(known.contains)
    case _: Operation.Append | _: Operation.Delete | _: Operation.Overwrite | _: Operation.CreateIndex |
        _: Operation.Merge | _: Operation.Restore | _: Operation.ReserveFragments | _: Operation.Update |
        _: Operation.Project | _: Operation.UpdateConfig | _: Operation.DataReplacement | _: Operation.Clone |
        _: Operation.UpdateBases | _: Operation.Other =>
      ()
  }

  /** Returns the fragments of a version that were added since, or whose columns others have replaced, without
    * those of an earlier pass.
    */
  def in(latest: Manifest): Vector[Fragment] = latest.fragments.filterNot { fragment =>
    val now = state(fragment)
    known.get(fragment.id).contains(now) || passed.get(fragment.id).contains(now) || moved(fragment.id)
  }

  /** Leaves the fragments of a version out from now on. */
  def pass(latest: Manifest): Unit = passed = latest.fragments.iterator.map(f => f.id -> state(f)).toMap

  /** Files with the values of the columns. */
  private def state(fragment: Fragment): Set[String] =
    fragment.files.filter(_.fieldIds.exists(fields)).map(_.path).toSet
}

private[isolation] object AddedFragments {

  /** Whether an operation deletes rows, or may. */
  def deletes(operation: Operation): Boolean = operation match {
    case _: Operation.Delete | _: Operation.Update | _: Operation.Overwrite | _: Operation.Restore |
        _: Operation.Other =>
      true
    case _: Operation.Append | _: Operation.CreateIndex | _: Operation.Rewrite | _: Operation.Merge |
        _: Operation.ReserveFragments | _: Operation.Project | _: Operation.UpdateConfig |
        _: Operation.DataReplacement | _: Operation.Clone | _: Operation.UpdateBases =>
      false
  }
}
