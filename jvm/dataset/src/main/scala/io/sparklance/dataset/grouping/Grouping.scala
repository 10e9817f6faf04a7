package io.sparklance.dataset.grouping

import io.sparklance.schema.{Field, Leaf}

/** Groups of rows and their aggregates. A result has a column for each key, and one for each aggregate. It is
  * partial: several of its rows may belong to one group.
  *
  * @param keys
  *   leaves outside of lists; rows with equal values of all of them are a group, and nulls are equal
  */
final private[sparklance] case class Grouping(keys: Vector[Leaf], aggregates: Vector[GroupAggregate]) {

  /** Top-level fields, pruned to the leaves that are needed. */
  def projection: Vector[Field] = {
    val leaves = (keys ++ aggregates.flatMap(_.leaves)).distinctBy(_.field.id)
    val wanted = leaves.map(_.field.id).toSet
    leaves.map(_.root).distinctBy(_.id).map(Grouping.pruned(_, wanted))
  }

  /** Fields of the results. */
  def fields: Vector[Field] = keys.map(_.field.copy(nullable = true)) ++ aggregates.map(_.field)
}

private[sparklance] object Grouping {

  /** Whether rows can be grouped by a leaf. */
  def canGroupBy(leaf: Leaf): Boolean = KeyColumn.of(leaf).isDefined

  private def pruned(field: Field, wanted: Set[Int]): Field =
    if (wanted(field.id)) field
    else
      field.copy(children =
        field.children.filter(child => child.preOrder.exists(f => wanted(f.id)))
          .map(pruned(_, wanted))
      )
}
