package io.sparklance.spark.search

import java.util.Arrays

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeSet,
  Expression,
  PythonUDF,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

import io.sparklance.data.{Column, Fixed64Block, RowRanges}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.nearest.RowTest
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.SplitReader
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.Field
import io.sparklance.spark.options.OwnReads
import io.sparklance.spark.read.{LanceScan, LocalResults, RowCondition}
import io.sparklance.spark.session.TableLocation

/** A condition that tasks evaluate on rows after they are read. */
sealed private[search] trait SearchTest extends Product with Serializable {

  /** Fields that it looks at. */
  def fields: Vector[Field]
  def open: Option[SplitReader => RowTest]
}

private[search] object SearchTest {
  case object Every extends SearchTest {
    def fields: Vector[Field] = Vector.empty
    def open: Option[SplitReader => RowTest] = None
  }

  /** Evaluated by Spark's expression. */
  final case class Condition(condition: RowCondition) extends SearchTest {
    def fields: Vector[Field] = condition.fields
    def open: Option[SplitReader => RowTest] = Some(condition.open)
  }

  /** Membership in a set of row addresses, sorted. */
  final case class Among(addresses: Array[Long]) extends SearchTest with RowTest {
    def fields: Vector[Field] = Vector(MetadataColumn.RowAddr.field)
    def open: Option[SplitReader => RowTest] = Some(_ => this)

    override def drop(columns: Vector[Column], count: Int, dropped: Array[Boolean]): Unit =
      columns.head.values match {
        case block: Fixed64Block =>
          var i = 0
          while (i < count) { dropped(i) = Arrays.binarySearch(addresses, block.values(i)) < 0; i += 1 }
        case other => throw new IllegalStateException(s"row addresses in a ${other.getClass}")
      }
  }
}

/** Plans a condition in SQL like the filter of a query, so that it uses statistics and scalar indices. The
  * rest that Spark must evaluate goes with the search, row by row. Conditions with subqueries or functions in
  * Python run as a query first, whose result is the rows' addresses.
  */
final private[search] class SearchFilter(
    dataset: Dataset,
    location: TableLocation,
    condition: SearchCondition
) {

  /** Fewest rows for which reading them by their addresses is not tried. */
  final private val FewRows = 10000

  /** The rows that pass, as a query. Fails if the condition is invalid. */
  private val passing: DataFrame =
    OwnReads.of(location, dataset, condition.options).where(condition.text).select(
      MetadataColumn.RowAddr.name
    )

  def rows: RowsToSearch = searched(passing.queryExecution.optimizedPlan, Vector.empty).getOrElse(collected)

  private def searched(plan: LogicalPlan, conditions: Vector[Expression]): Option[RowsToSearch] = plan match {
    case Project(_, child) => searched(child, conditions)
    case Filter(condition, child) if isRowWise(condition) => searched(child, conditions :+ condition)
    case relation: DataSourceV2ScanRelation =>
      relation.scan match {
        case scan: LanceScan => ofScan(scan, relation, conditions)
        case _ => None
      }
    case _ => None
  }

  private def isRowWise(condition: Expression): Boolean = condition.deterministic &&
    !condition.exists(e => e.isInstanceOf[SubqueryExpression] || e.isInstanceOf[PythonUDF])

  private def ofScan(
      scan: LanceScan,
      relation: DataSourceV2ScanRelation,
      conditions: Vector[Expression]
  ): Option[RowsToSearch] = {
    val pushed = scan.pushed
    val used = AttributeSet(conditions.flatMap(_.references))
    val known = relation.output.toVector.zip(pushed.projection).filter { case (attribute, _) =>
      used.contains(attribute)
    }
    val fits = relation.output.size == pushed.projection.size && known.size == used.size &&
      !known.exists(_._2.preOrder.exists(_.isBlob))
    Option.when(fits) {
      val test = conditions.reduceOption(And(_, _)).fold[SearchTest](
        SearchTest.Every
      )(all => SearchTest.Condition(RowCondition(known.map(_._2), pushed.readTypes, known.map(_._1), all)))
      RowsToSearch(scan.candidates, pushed.filters.predicate, test)
    }
  }

  /** Addresses of the rows that pass, sorted. May include deleted rows. */
  def addresses: Array[Long] = known(passing.queryExecution.optimizedPlan).getOrElse(queried)

  /** Returns the rows of a scan whose filters indices answer. */
  private def known(plan: LogicalPlan): Option[Array[Long]] = plan match {
    case Project(_, child) => known(child)
    case relation: DataSourceV2ScanRelation =>
      relation.scan match {
        case scan: LanceScan => scan.passing.map(SearchFilter.listed)
        case _ => None
      }
    case _ => None
  }

  private def queried: Array[Long] = {
    val run = passing.queryExecution
    val addresses =
      if (LocalResults.isLocal(run.executedPlan)) run.executedPlan.executeCollect().map(_.getLong(0))
      else run.toRdd.mapPartitions(rows => Iterator(rows.map(_.getLong(0)).toArray)).collect().flatten
    Arrays.sort(addresses)
    addresses
  }

  private def collected: RowsToSearch = {
    val addresses = this.addresses
    if (addresses.length <= FewRows) RowsToSearch.these(addresses)
    else RowsToSearch(RowRanges.all, Predicate.Always, SearchTest.Among(addresses))
  }
}

private object SearchFilter {

  /** Lists the rows of ranges. */
  private def listed(rows: RowRanges): Array[Long] = {
    val out = new Array[Long](Math.toIntExact(rows.count))
    var n = 0
    rows.ranges.foreach { range =>
      var row = range.start
      while (row < range.end) { out(n) = row; n += 1; row += 1 }
    }
    out
  }
}
