package io.sparklance.dataset.scan

import io.sparklance.dataset.order.TopBound
import io.sparklance.dataset.predicate.{LeafValues, Predicate, RowFilter}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.Leaf

/** Connects the stages that read a fragment (late materialization):
  * {{{
  * all rows → FirstFilter → SecondFilter → SelectedStage → batches     columns of the filters, then the rest
  * all rows → UnfilteredRows → batches                                 without filter or order
  * }}}
  */
final private class ReaderStages(
    plan: FragmentPlan,
    opened: OpenFragment,
    live: LiveRows,
    bound: Option[TopBound],
    batchRows: Int
) {
  import ReaderStages._

  private val columns =
    new StreamedColumns(opened.files.map(_.streamed), opened.files.flatMap(_.streamedParts))
  private lazy val tested = opened.files.flatMap(_.testedParts)
  private lazy val passedFirst = new PendingRows(opened.stages.passedFirst, kept(columns.parts))
  private lazy val nulls = plan.missingTested.map { field =>
    val column = LeafColumn.ofNulls(field)
    column.appendNulls(batchRows)
    field.id -> column
  }.toMap
  private lazy val top = bound.map { bound =>
    val leaf = bound.order.leaf
    val waiting = passedFirst.parts.find(_.leaf.field.id == leaf.field.id).filter(_ => plan.stages.hasSecond)
    waiting match {
      case Some(part) => new TopStage(bound, LeafValues.of(part.column), passedFirst.head, batchRows)
      case None => new TopStage(bound, values(columns.parts)(leaf), 0, batchRows)
    }
  }
  private lazy val first = new FirstFilter(
    columns,
    filter(plan.stages.first),
    top.filter(_ => !plan.stages.hasSecond),
    values(columns.parts),
    live,
    passedFirst,
    batchRows
  )
  private lazy val second = filter(plan.stages.second).map { filter =>
    val stage =
      new SelectedStage(first, opened.files.map(_.tested), opened.stages.tested, batchRows)
    val found = new PendingRows(opened.stages.passed, passedFirst.parts ++ kept(tested))
    new SecondFilter(stage, filter, values(tested), top, found, batchRows)
  }
  private lazy val last: RowSource = second.getOrElse(first)
  private lazy val outputs = last.found.parts.map(p => p.copy(column = new LeafColumn(p.leaf).column))

  /** The leaves of a batch. */
  val parts: Vector[LeafPart] =
    if (plan.stages.areSelective) outputs ++ opened.files.flatMap(_.restParts) else columns.parts

  /** Rows that passed, but are not among the first of an order. */
  def dropped: Long = top.fold(0L)(_.dropped)

  def batch(emptyStructs: Vector[LeafPart]): BatchRows =
    if (!plan.stages.areSelective)
      new UnfilteredRows(columns, opened.stages.streamed, emptyStructs, live, batchRows)
    else {
      val rest = new SelectedStage(last, opened.files.map(_.rest), opened.stages.rest, batchRows, top)
      val before = second.map(_ => passedFirst)
      new FilteredRows(last.found, before, rest, outputs, emptyStructs, batchRows)
    }

  /** Returns the parts that are wanted of rows that pass. */
  private def kept(parts: Vector[LeafPart]): Vector[LeafPart] = parts.filter { part =>
    plan.projected(part.leaf.field.id) || plan.stages.order.exists(_.leaf.field.id == part.leaf.field.id)
  }

  /** The values that a filter looks at. The columns stay the same from batch to batch. */
  private def values(parts: Vector[LeafPart]): Leaf => LeafValues = {
    val columns = parts.map(p => p.leaf.field.id -> p.column).toMap ++ nulls
    val values = plan.stages.leaves.map(_.field.id).filter(columns.contains).map { id =>
      id -> LeafValues.of(columns(id))
    }.toMap
    leaf => values(leaf.field.id)
  }
}

private object ReaderStages {
  private def filter(predicate: Predicate): Option[RowFilter] =
    Option.when(predicate != Predicate.Always)(new RowFilter(predicate))
}

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
