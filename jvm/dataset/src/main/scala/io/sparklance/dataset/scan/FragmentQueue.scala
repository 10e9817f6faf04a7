package io.sparklance.dataset.scan

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import io.sparklance.dataset.order.TopBound
import io.sparklance.io.{Closing, IoScheduler, IoTask, ObjectStore}

/** The fragments that a split still has to read. If the store is read ahead, the next ones are opened side by
  * side while one is read, and their bytes are requested once all of that one are. If few rows are wanted,
  * the first batches of fragments are read side by side.
  *
  * @param isSparse
  *   whether few rows are wanted
  */
final private class FragmentQueue(
    store: ObjectStore,
    tasks: Iterator[FragmentTask],
    top: Option[TopBound],
    batchRows: Int,
    isSparse: Boolean
) extends AutoCloseable {
  private val io = IoScheduler.shared.task(store.profile)
  private val opening = mutable.Queue.empty[UpcomingFragment]
  private var begun = 0
  // Files of fragments that are opened ahead: few at first, since a query may end early.
  private var width =
    if (!io.isAhead) 0 else if (isSparse) mostFiles else math.min(FragmentQueue.FirstWidth, mostFiles)

  def hasNext: Boolean = opening.nonEmpty || tasks.hasNext

  /** Waits until the next fragment is open. */
  def next(): (FragmentTask, FragmentReader) = {
    if (opening.isEmpty) open()
    // It stays in the queue, which closes it, until it is open.
    val next = opening.head
    while (tasks.hasNext && opening.iterator.drop(1).map(f => math.max(1, f.files)).sum < width) open()
    width = math.min(2 * width, mostFiles)
    val reader = next.reader
    val _ = opening.dequeue()
    next.task -> reader
  }

  /** Requests what `current` takes, and then what the fragments after it do. */
  def lookAhead(current: FragmentReader): Unit = if (io.isAhead) {
    val isComplete = current.lookAhead()
    if (isComplete || current.hasBegun)
      opening.iterator.takeWhile(f => f.isOpen && hasRoom).foreach(_.reader.request())
    if (isComplete) lookFurther()
  }

  /** Evaluates the filters of the fragments after the current one, and requests their other columns. */
  private def lookFurther(): Unit = {
    var rows = 0L
    val next = opening.iterator.takeWhile(_.isOpen).map(_.reader).takeWhile(_.hasBegun)
    while (rows < mostRows && next.hasNext) {
      val reader = next.next()
      rows = if (reader.lookAhead()) rows + math.max(1, reader.candidates) else Long.MaxValue
    }
  }

  /** Whether requests for the filters of later fragments leave room for other columns of earlier ones. */
  private def hasRoom: Boolean = io.room > io.share / 2

  /** Few rows are found for an order, and later ones displace some of them. */
  private def mostRows: Long = top.fold(FragmentQueue.MostRows)(_ => 16 * FragmentQueue.MostRows)

  private def mostFiles: Int = 2 * store.profile.firstRequests

  private def open(): Unit = {
    val task = tasks.next()
    val number = begun
    begun += 1
    val plan = FragmentPlan.of(task, top.map(_.order))
    opening += (
      if (isSparse && top.isEmpty && store.profile.readAhead > 0)
        new SparseFragment(task, plan, store, io, batchRows)
      else new OpenedFragment(task, io.fork(OpenFragment.of(plan, store, io, number, top)), batchRows, top)
    )
  }

  def close(): Unit = {
    io.close()
    Closing.all(opening.removeAll())
  }
}

private object FragmentQueue {
  final private val FirstWidth = 4

  /** Rows that are tested by a filter ahead of those that are completed. */
  final private val MostRows = 1L << 20
}

/** A fragment that is being opened. */
sealed private trait UpcomingFragment extends AutoCloseable {
  def task: FragmentTask

  /** The number of its files, or more if it has many columns, whose metadata takes memory. */
  def files: Int =
    math.max(task.files.size, task.files.iterator.map(_.fieldIds.size).sum / UpcomingFragment.FieldsOfFile)

  /** Whether its reader is there without waiting, and more can be requested of it. */
  def isOpen: Boolean

  /** Waits until the fragment is open. */
  def reader: FragmentReader

  /** Closes the fragment as soon as it is open, without waiting for that. */
  def close(): Unit
}

/** A fragment whose bytes the task requests that reads the split. */
final private class OpenedFragment(
    val task: FragmentTask,
    opened: CompletableFuture[OpenFragment],
    batchRows: Int,
    top: Option[TopBound]
) extends UpcomingFragment {
  private var made = Option.empty[FragmentReader]

  def isOpen: Boolean = opened.isDone && !opened.isCompletedExceptionally

  def reader: FragmentReader = made.getOrElse {
    val reader = FragmentReader.of(IoTask.result(opened), batchRows, top)
    made = Some(reader)
    reader
  }

  def close(): Unit = {
    val _ = opened.thenAccept(_.close())
  }
}

/** A fragment of which few rows are wanted: a task of its own reads the first of them. */
final private class SparseFragment(
    val task: FragmentTask,
    plan: FragmentPlan,
    store: ObjectStore,
    io: IoTask,
    batchRows: Int
) extends UpcomingFragment {
  private val own = IoScheduler.shared.task(store.profile)
  private val opened = io.fork {
    val reader = FragmentReader.of(OpenFragment.of(plan, store, own, 0, None), batchRows, None)
    Closing.ifFailed(reader)(reader.readFirst())
    reader
  }

  def isOpen: Boolean = false
  def reader: FragmentReader = IoTask.result(opened)

  def close(): Unit = {
    own.close()
    val _ = opened.thenAccept(_.close())
  }
}

private object UpcomingFragment {
  final private val FieldsOfFile = 64
}
