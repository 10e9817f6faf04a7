package io.sparklance.spark.backfill

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{NamedExpression, UserDefinedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.{col, shiftright}
import org.apache.spark.sql.types.LongType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.spark.session.Session
import io.sparklance.spark.table.LanceTable

/** New values of columns, with the addresses of their rows.
  *
  * @param rows
  *   [[AddressedRows.Address]] and the columns
  */
final private[spark] case class AddressedRows private (rows: DataFrame, dataset: Dataset) {
  import AddressedRows._

  /** Whether the rows derive row by row from a scan of the table's version, so that tasks that read whole
    * fragments have their rows in order, without a shuffle.
    */
  lazy val comeByFragment: Boolean = {
    val plan = rows.queryExecution.withCachedData
    isRowByRow(plan) && plan.collectLeaves().exists {
      case relation: DataSourceV2Relation =>
        isOfVersion(relation) &&
        plan.output.find(_.name == Address).exists(a => relation.output.exists(_.exprId == a.exprId))
      case _ => false
    }
  }

  /** Filters the rows of one or more fragments, by ranges of addresses, which the scan prunes. */
  def of(fragments: Set[Long]): AddressedRows = {
    val address = col(Address)
    val among = address >= RowAddress.first(fragments.min) &&
      address <= (RowAddress.first(fragments.max) | MaxOffset)
    copy(rows = rows.where(among && fragmentId.isin(fragments.toSeq.sorted: _*)))
  }

  /** Whether user-defined functions, which may be slow, compute them. */
  def areCostly: Boolean =
    rows.queryExecution.withCachedData.exists(_.expressions.exists(_.exists {
      case _: UserDefinedExpression => true
      case _ => false
    }))

  /** Shuffles all rows of a fragment to one task, in ascending order of addresses. */
  def gathered: DataFrame = rows.repartition(fragmentId).sortWithinPartitions(col(Address))

  private def isOfVersion(relation: DataSourceV2Relation): Boolean = relation.table match {
    case table: LanceTable => table.dataset.root == dataset.root && table.dataset.version == dataset.version
    case _ => false
  }
}

private[spark] object AddressedRows {
  val Address: String = MetadataColumn.RowAddr.name
  private val MaxOffset = (1L << RowAddress.OffsetBits) - 1

  /** Operators that map a row to one row or none, in order. */
  private val RowByRow =
    Set("Project", "Filter", "SubqueryAlias", "View", "DataSourceV2Relation", "RelationV2")

  /** @param rows rows with an address or an id */
  def of(rows: DataFrame, dataset: Dataset): AddressedRows = {
    refuseChance(rows.queryExecution.withCachedData)
    val column = rows.columns.find(Session.alike(_, Address)).getOrElse(throw noAddress(rows, dataset))
    if (rows.schema(column).dataType != LongType)
      throw new LanceUsageException(
        s"Column '$column' identifies rows, so it must be BIGINT, but it is " +
          s"${rows.schema(column).dataType.sql}. Cast it."
      )
    AddressedRows(rows, dataset)
  }

  private def fragmentId = shiftright(col(Address), RowAddress.OffsetBits)

  private def isRowByRow(plan: LogicalPlan): Boolean =
    RowByRow(plan.nodeName.takeWhile(_.isLetterOrDigit)) && plan.children.size <= 1 &&
      plan.children.forall(isRowByRow)

  /** Refuses nondeterministic values: continued jobs and retried tasks would compute other ones. */
  private def refuseChance(plan: LogicalPlan): Unit = plan.foreach { node =>
    node.expressions.find(!_.deterministic).foreach { expression =>
      val shown = expression match {
        case named: NamedExpression => s"column '${named.name}'"
        case other => other.sql
      }
      throw new LanceUsageException(
        s"The values are not deterministic ($shown: ${expression.sql}), so a repeated task would write " +
          "other values. Write the rows to a table or cache() them first, and use those."
      )
    }
  }

  /** Says that rows do not identify rows of the table, with the columns that could be the keys. */
  def noAddress(rows: DataFrame, dataset: Dataset): LanceUsageException = {
    val shared = rows.columns.filter(name => dataset.schema.fields.exists(f => Session.alike(f.name, name)))
    val keys =
      if (shared.isEmpty) "its keys" else s"keys among the columns of the table (${shared.mkString(", ")})"
    new LanceUsageException(
      s"The rows do not say which rows of the table they belong to: they have ${rows.columns.mkString(", ")}. Name $keys, by on=… " +
        "in Python, ON (…) in SQL or option 'columnsOn', or give the rows a column _rowaddr or _rowid."
    )
  }
}
