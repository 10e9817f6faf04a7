package io.sparklance.fuzz

import scala.util.Using

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.aggregate.{Aggregate, AggregateReader}
import io.sparklance.dataset.predicate.{NumberTest, Predicate}
import io.sparklance.dataset.scan.{FragmentReader, FragmentTask, ScanPlan, SplitTarget}
import io.sparklance.dataset.statistics.End
import io.sparklance.file.FileColumns
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Leaf, LogicalType}

/** Asks what statistics can answer. A wrong answer is no wonder, but there must be one, or a refusal. */
object TableAnswers {
  final private val EnoughRows = 1L << 18
  final private val BatchRows = 1000

  def ask(store: ObjectStore, root: String, except: Set[String]): Unit = {
    val dataset = Dataset.open(store, root)
    val leaves = dataset.schema.fields.filterNot(field => except(field.name)).flatMap(FileColumns.leaves)
      .filter(leaf => leaf.around.forall(_.logicalType == LogicalType.Struct) && isSimple(leaf))
    if (dataset.countRows < EnoughRows) {
      aggregate(store, dataset, leaves)
      leaves.filter(_.around.isEmpty).foreach(filter(store, dataset, _))
    }
  }

  private def isSimple(leaf: Leaf): Boolean =
    !leaf.isEmpty && !leaf.field.isPacked && !leaf.field.isBlob && leaf.field.children.isEmpty

  private def aggregate(store: ObjectStore, dataset: Dataset, leaves: Vector[Leaf]): Unit = {
    val asked = Aggregate.Rows +: leaves.flatMap { leaf =>
      val ends = if (Aggregate.isSorted(leaf)) Vector(End.Least, End.Greatest) else Vector.empty
      Aggregate.Values(leaf) +: ends.map(Aggregate.Outermost(leaf, _))
    }
    ScanPlan.splits(dataset, leaves.map(_.only), SplitTarget.Bytes(Long.MaxValue)).foreach { split =>
      val answers = new AggregateReader(store, split, asked, BatchRows, () => ()).answer()
      if (answers.exists(answer => answer.length != 1 || answer.nulls.length != 1))
        throw new Lie("an aggregate has no answer, or several")
    }
  }

  /** No row may both pass and fail. */
  private def filter(store: ObjectStore, dataset: Dataset, leaf: Leaf): Unit = {
    val test = NumberTest.Within(-40, 40)
    val conditions = Vector(Predicate.IsNull(leaf), Predicate.NotNull(leaf)) ++
      (if (Aggregate.isSorted(leaf) && !isText(leaf.field.logicalType)) Vector(Predicate.Passes(leaf, test))
       else Vector.empty)
    conditions.foreach { condition =>
      def count(predicate: Predicate): Long =
        ScanPlan.splits(dataset, Vector(leaf.only), SplitTarget.Bytes(Long.MaxValue), predicate = predicate)
          .flatMap(_.tasks).map(rows(store, _)).sum
      val rowsOfAll = count(Predicate.Always)
      if (count(condition) + count(condition.negated) > rowsOfAll)
        throw new Lie(s"rows pass $condition and its negation")
    }
  }

  private def isText(logicalType: LogicalType): Boolean = logicalType match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) => true
    case _ => false
  }

  private def rows(store: ObjectStore, task: FragmentTask): Long =
    Using.resource(FragmentReader.open(store, task, BatchRows)) { reader =>
      var rows = 0L
      while (reader.next()) rows += reader.rowCount
      rows
    }
}
