package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeMap, If, LeafExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OverwriteByExpression, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.DataType

import io.sparklance.LanceUsageException

/** Lets the tasks of an overwrite of some rows check that new rows satisfy its condition: the same statement
  * would not replace other rows when it is repeated.
  */
private[sparklance] object ReplacedRows extends Rule[LogicalPlan] {

  // A statement that inserts into several tables has several writes.
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write: OverwriteByExpression if write.resolved && write.deleteExpr != TrueLiteral =>
      write.table match {
        case relation: DataSourceV2Relation if relation.table.isInstanceOf[WritableLanceTable] =>
          checked(named(write, relation), relation)
        case _ => write
      }
  }

  /** Names columns of the condition as the table does. Spark keeps the case of the statement, in which the
    * write would not find them.
    */
  private def named(write: OverwriteByExpression, relation: DataSourceV2Relation): OverwriteByExpression = {
    val columns = AttributeMap(relation.output.map(column => column -> column))
    write.transformExpressions { case used: Attribute => columns.getOrElse(used, used) }
  }

  private def checked(write: OverwriteByExpression, relation: DataSourceV2Relation): LogicalPlan = {
    val (columns, rows) = (relation.output, write.query.output)
    val isKnown = columns.size == rows.size && write.deleteExpr.references.subsetOf(relation.outputSet)
    if (rows.isEmpty || !isKnown || isChecked(write.query)) write
    else {
      val written = AttributeMap(columns.zip(rows))
      val condition = write.deleteExpr.transform { case used: Attribute => written(used) }
      val shown = write.deleteExpr.transform { case used: Attribute =>
        UnresolvedAttribute(Seq(used.name))
      }
      val first = rows.head
      val checked = If(condition, first, UnsatisfiedCondition(shown.sql, first.dataType))
      val column = Alias(checked, first.name)(explicitMetadata = Some(first.metadata))
      write.withNewQuery(Project(column +: rows.tail, write.query))
    }
  }

  private def isChecked(query: LogicalPlan): Boolean =
    query.expressions.exists(_.exists(_.isInstanceOf[UnsatisfiedCondition]))
}

/** The value of a row that must not be written: an error. */
final private[table] case class UnsatisfiedCondition(condition: String, override val dataType: DataType)
    extends LeafExpression with CodegenFallback {
  override def nullable: Boolean = false
  override def eval(row: InternalRow): Any = throw new LanceUsageException(
    s"A row to be written does not satisfy $condition, the condition of the rows that it is to replace, so nothing was committed. " +
      "Write only rows that satisfy it, and others by an INSERT."
  )
}
