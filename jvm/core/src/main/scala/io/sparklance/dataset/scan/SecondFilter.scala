package io.sparklance.dataset.scan

import io.sparklance.dataset.predicate.{LeafValues, RowFilter}
import io.sparklance.schema.Leaf

/** Finds, among the rows that passed the first filter, those that pass the second. Decodes its columns for
  * the former only.
  *
  * @param stage
  *   decodes the filter's columns for rows that passed the first
  * @param values
  *   of these columns
  * @param top
  *   drops rows that are not among the first of an order; its values come with the rows that passed the first
  *   filter
  */
final private class SecondFilter(
    stage: SelectedStage,
    filter: RowFilter,
    values: Leaf => LeafValues,
    top: Option[TopStage],
    val found: PendingRows,
    batchRows: Int
) extends RowSource {
  // Rows that passed the first filter.
  private val first = stage.source.found
  private val positions = new Array[Int](batchRows)
  private val (ofFirst, ofTested) = found.parts.splitAt(first.parts.size)
  private val tested = found.sources.drop(first.parts.size)

  def advance(): Boolean = {
    val examined = stage.next()
    var i = 0
    while (i < examined) { positions(i) = i; i += 1 }
    val passed = filter.narrow(values, positions, examined)
    val count = top.fold(passed)(_.narrow(positions, passed))
    found.rows.append(first.rows, positions, count)
    found.append(first.parts, first.head, positions, count, ofFirst)
    found.append(tested, 0, positions, count, ofTested)
    stage.drop()
    examined > 0
  }
}
