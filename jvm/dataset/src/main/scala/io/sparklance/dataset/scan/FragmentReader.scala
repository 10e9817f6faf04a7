package io.sparklance.dataset.scan

import io.sparklance.LanceFormatException
import io.sparklance.data.Column
import io.sparklance.dataset.order.TopBound
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.io.{Closing, IoScheduler, ObjectStore}
import io.sparklance.schema.Field

/** Reads the live rows of a fragment that pass its predicate, in batches. Joins the columns of the fragment's
  * data files side by side, fills fields that no file has with nulls, and leaves out deleted rows.
  */
final private[sparklance] class FragmentReader private (
    plan: FragmentPlan,
    opened: OpenFragment,
    batchRows: Int,
    top: Option[TopBound]
) extends AutoCloseable {
  // A fragment with few rows needs little space; a scan may read many such fragments.
  private val room = math.min(batchRows.toLong, opened.rows.count).toInt
  private val live = new LiveRows(opened.rows, opened.deleted, room)
  private val emptyStructs =
    plan.emptyStructs.map(l => LeafPart(l.leaf, l.source, LeafColumn.ofEmptyStructs(l.leaf)))
  private val stages = new ReaderStages(plan, opened, live, top, room)
  private val batch = stages.batch(emptyStructs)
  private val parts = stages.parts ++ emptyStructs
  private val partsByRoot = parts.groupBy(_.leaf.root.id)
  private val missing = plan.missing.map(field => field.id -> LeafColumn.ofNulls(field)).toMap
  private val makers: Vector[BatchColumn] = plan.task.projection.map { field =>
    MetadataColumn.of(field).fold(assembly(field))(metadata)
  }
  private var made: Vector[Column] = Vector.empty
  private var returned = 0L
  // The answer of the next call of `next`, if that batch is there.
  private var isRead = Option.empty[Boolean]

  /** One column for each field of the projection. The first [[rowCount]] values are the batch's; values after
    * them belong to later batches. Valid until the next call of [[next]].
    */
  def columns: Vector[Column] = made

  def rowCount: Int = batch.rowCount

  /** The offset in the fragment of a row of the batch, all physical rows counted. */
  def position(row: Int): Long = batch.offset(row)

  /** Moves to the next batch; false at the end. A batch has at least one row. */
  def next(): Boolean = {
    val found = isRead.getOrElse(read())
    isRead = None
    found
  }

  /** Reads the first batch, which the first call of [[next]] then returns. */
  private[scan] def readFirst(): Unit = isRead = Some(read())

  private def read(): Boolean = {
    batch.read()
    returned += rowCount
    made = makers.zip(plan.task.projection).map { case (maker, field) =>
      LanceFormatException.locating(plan.location(field))(maker.column(rowCount))
    }
    rowCount > 0
  }

  /** Requests bytes for the first stage without waiting for any. */
  def request(): Unit = { val _ = opened.stages.streamed.proceed() }

  /** Whether the first stage's bytes are under way. */
  def hasBegun: Boolean = opened.stages.streamed.hasBegunAll

  /** Requests what the next batches take without waiting for it, except for columns of filters. Returns
    * whether there is room to do so for a later fragment.
    */
  def lookAhead(): Boolean = batch.lookAhead()

  /** Number of rows that statistics do not rule out. */
  def candidates: Long = opened.rows.count

  /** Counts of the reads so far. */
  def stats: ReadStats = opened.stats(
    rowsFiltered = opened.rowsSkipped + live.seen - returned - batch.pending,
    dropped = stages.dropped
  )

  def close(): Unit = opened.close()

  private def assembly(field: Field): BatchColumn =
    new ColumnAssembly(field, partsByRoot.getOrElse(field.id, Vector.empty), missing)

  private def metadata(column: MetadataColumn): BatchColumn = plan.hiddenOf(column) match {
    case Some(hidden) => new HiddenValues(hidden, assembly(hidden.field))
    case None =>
      new MetadataValues(column, plan.task.fragmentId, batch, plan.numbers.get(column), plan.firstNumbered)
  }
}

private[sparklance] object FragmentReader {

  /** Opens the files of a task.
    *
    * @param batchRows
    *   rows of a batch, at most; fewer if their values are large
    */
  def open(store: ObjectStore, task: FragmentTask, batchRows: Int): FragmentReader = {
    val plan = FragmentPlan.of(task, None)
    of(OpenFragment.of(plan, store, IoScheduler.shared.task(store.profile), 0, None), batchRows, None)
  }

  /** Reads an open fragment, and closes it in the end.
    *
    * @param top
    *   drops rows that are not among the first of an order, and learns from the rows that it sees
    */
  private[scan] def of(opened: OpenFragment, batchRows: Int, top: Option[TopBound]): FragmentReader = {
    require(batchRows > 0, s"batches of $batchRows rows")
    Closing.ifFailed(opened)(new FragmentReader(opened.plan, opened, batchRows, top))
  }
}
