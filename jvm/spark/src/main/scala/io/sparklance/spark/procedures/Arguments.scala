package io.sparklance.spark.procedures

import org.apache.spark.sql.catalyst.InternalRow

import io.sparklance.dataset.{Dataset, Reference, TableRefs}
import io.sparklance.spark.session.TableLocation

/** The values of a procedure's parameters. */
final private[sparklance] class Arguments private[procedures] (
    parameters: Vector[Parameter[_]],
    row: InternalRow
) {

  def apply[A](parameter: Parameter[A]): A = {
    val at = parameters.indexWhere(_.name == parameter.name)
    require(at >= 0, s"the procedure has no parameter ${parameter.name}")
    parameter.of(row, at)
  }

  /** Location of the table in [[Parameter.table]]. */
  private[spark] lazy val location: TableLocation = TableArgument.location(apply(Parameter.table))

  /** The table's latest version. */
  def latest: Dataset = Dataset.open(location.store, location.root)

  /** The table at the version in [[Parameter.version]]. */
  def dataset: Dataset = TableRefs.open(
    location.store,
    location.root,
    apply(Parameter.version).fold(Reference.latest)(Reference.parse)
  )

  /** Returns the first rows, as many as [[Parameter.limit]] allows. */
  def limited[A](rows: Iterator[A]): Iterator[A] =
    apply(Parameter.limit).fold(rows)(n => rows.take(math.min(math.max(n, 0), Int.MaxValue.toLong).toInt))
}
