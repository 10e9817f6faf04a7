package io.sparklance.dataset.scan

import io.sparklance.dataset.order.TopRows

/** The rows that one task reads, of one or several fragments, in the table's order.
  *
  * @param sample
  *   random sample of these rows, if not all
  * @param top
  *   an order whose first rows are wanted: the read may drop all others
  */
final private[sparklance] case class Split(
    tasks: Vector[FragmentTask],
    sample: Option[RowSample] = None,
    top: Option[TopRows] = None
)

private[sparklance] object Split {

  /** Makes one split of several that have neither samples nor orders; none of none. */
  def joined(splits: Vector[Split]): Vector[Split] =
    if (splits.isEmpty) Vector.empty else Vector(Split(splits.flatMap(_.tasks)))
}
