package io.sparklance.dataset.aggregate

import scala.util.Using

import io.sparklance.data.{Column, DataBlock, Fixed64Block, RowRange, RowRanges}
import io.sparklance.dataset.predicate.{LeafValues, Predicate}
import io.sparklance.dataset.scan.{
  FileReaders,
  FragmentReader,
  FragmentTask,
  ReadStats,
  Split,
  StoredStatistics
}
import io.sparklance.dataset.statistics.End
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.io.{IoScheduler, ObjectStore}
import io.sparklance.schema.Leaf
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}

/** Answers aggregates over the live rows of a split: zone by zone from statistics where they suffice,
  * otherwise from values. Tasks with a predicate count the rows that pass, and have no other aggregates.
  *
  * @param proceed
  *   called repeatedly; throws when the task is cancelled
  */
final private[sparklance] class AggregateReader(
    store: ObjectStore,
    split: Split,
    aggregates: Vector[Aggregate],
    batchRows: Int,
    proceed: () => Unit
) {
  private val leaves: Vector[LeafAnswers] = AggregateReader.leaves(aggregates, batchRows)
  private var rows = 0L
  private var read = ReadStats.none

  /** Work done. `rowsSkipped` counts rows of which no leaf was read. */
  def stats: ReadStats = read

  /** Returns a column for each aggregate with the answer as its only value. Call once. */
  def answer(): Vector[Column] = {
    split.tasks.foreach(add)
    aggregates.map {
      case Aggregate.Rows => AggregateReader.number(rows)
      case Aggregate.Values(leaf) => AggregateReader.number(of(leaf).count)
      case Aggregate.Outermost(leaf, end) => AggregateReader.column(leaf, of(leaf).found(end))
    }
  }

  private def of(leaf: Leaf): LeafAnswers =
    leaves.find(_.leaf.field.id == leaf.field.id).getOrElse(
      throw new IllegalStateException(s"nobody asked for ${leaf.name}")
    )

  private def add(task: FragmentTask): Unit = {
    proceed()
    val wanted = task.rows.intersect(RowRange(0, task.physicalRows))
    val deleted = task.deletion.map { source =>
      DeletionFiles.read(store, source.path, source.kind, task.physicalRows, source.rows)
    }
    rows += (if (task.predicate == Predicate.Always) AggregateReader.live(wanted, deleted) else passing(task))
    learn(task, wanted, deleted)
    val seen = leaves.map(look(_, task))
    val unread = seen.foldLeft(wanted)((left, rows) => left.intersect(rows.complement))
    read += ReadStats.none.copy(rowsSkipped = AggregateReader.live(unread, deleted))
  }

  /** Counts the rows that pass a task's predicate. */
  private def passing(task: FragmentTask): Long =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      var count = 0L
      while (reader.next()) {
        proceed()
        count += reader.rowCount
      }
      read += reader.stats
      count
    }

  private def learn(task: FragmentTask, wanted: RowRanges, deleted: Option[DeletionVector]): Unit =
    Using.resource(new FileReaders(store, IoScheduler.shared.task(store.profile), 0)) { readers =>
      val statistics = StoredStatistics.of(task, leaves.map(_.leaf), readers)
      leaves.foreach { leaf =>
        val rows = if (AggregateReader.isNull(task, leaf.leaf)) RowRanges.empty else wanted
        leaf.learn(rows, deleted, statistics(leaf.leaf.field.id))
      }
      val counts = readers.counts
      read += ReadStats.none.copy(cacheHits = counts.cacheHits, cacheMisses = counts.cacheMisses)
    }

  /** Reads the rows that a leaf needs. Returns them. */
  private def look(leaf: LeafAnswers, task: FragmentTask): RowRanges =
    Iterator.continually(leaf.next()).takeWhile(!_.isEmpty).foldLeft(RowRanges.empty) { (seen, rows) =>
      look(leaf, task, rows)
      seen.union(rows)
    }

  private def look(leaf: LeafAnswers, task: FragmentTask, rows: RowRanges): Unit = {
    val part = task.copy(rows = rows, projection = Vector(leaf.leaf.only), witnesses = Vector.empty)
    Using.resource(FragmentReader.open(store, part, batchRows)) { reader =>
      while (reader.next()) {
        proceed()
        leaf.add(LeafValues.of(reader.columns.head), reader.rowCount)
      }
      read += reader.stats
    }
  }
}

private object AggregateReader {

  private def leaves(aggregates: Vector[Aggregate], batchRows: Int): Vector[LeafAnswers] = {
    val asked = aggregates.collect {
      case Aggregate.Values(leaf) => (leaf, None)
      case Aggregate.Outermost(leaf, end) => (leaf, Some(end))
    }
    asked.map(_._1).distinctBy(_.field.id).map { leaf =>
      val ends = asked.filter(_._1.field.id == leaf.field.id).map(_._2)
      new LeafAnswers(leaf, ends.flatten.toSet[End], ends.contains(None), batchRows)
    }
  }

  /** Whether all rows are null because no file has the leaf. Reading refuses a leaf that is NOT NULL. */
  private def isNull(task: FragmentTask, leaf: Leaf): Boolean =
    leaf.field.nullable && !task.files.exists(_.columnOf(leaf.field.id).isDefined)

  private def live(rows: RowRanges, deleted: Option[DeletionVector]): Long =
    rows.count - deleted.fold(0L)(vector => rows.ranges.iterator.map(vector.deletedIn).sum)

  private def number(value: Long): Column = {
    val block = new Fixed64Block
    block.append(value)
    valid(block)
  }

  private def column(leaf: Leaf, value: Option[DataBlock]): Column =
    value.fold {
      val column = LeafColumn.ofNulls(leaf.field)
      column.appendNulls(1)
      column
    }(valid)

  private def valid(block: DataBlock): Column = {
    val column = new Column(block)
    column.nulls.appendValid(1)
    column
  }
}
