package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.analysis.{NamedRelation, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan, V2WriteCommand, WriteDelta}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.sparklance.spark.isolation.{MergeReads, Phantoms, StatementIsolation, StatementReads}
import io.sparklance.spark.options.Isolation
import io.sparklance.spark.rowlevel.LanceRowLevelOperation

/** Tells the writes of statements what these have read of their table. Spark tells a connector neither the
  * condition of a MERGE nor the query of an INSERT, but their plans have both. In all releases, the first
  * hook after Spark has made these plans is a check, which cannot change a plan: so the target learns what is
  * read.
  */
private[sparklance] object IsolationRule extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case write: WriteDelta =>
      changeOf(write.table).foreach(operation => operation.readBy(ofChange(operation.command, write)))
    case write: V2WriteCommand if isAppend(write) =>
      write.table match {
        case relation @ DataSourceRelation(table: WritableLanceTable) =>
          ofAppend(table, relation, write.query).foreach(table.readBy)
        case _ => ()
      }
    case _ => ()
  }

  /** Spark's table of a change of rows is a case class with our operation, which it shows to nobody. */
  private[table] def changeOf(relation: NamedRelation): Option[LanceRowLevelOperation] = relation match {
    case DataSourceRelation(table: Product) =>
      table.productIterator.collectFirst { case operation: LanceRowLevelOperation => operation }
    case _ => None
  }

  private object DataSourceRelation {
    def unapply(relation: NamedRelation): Option[Table] = relation match {
      case relation: DataSourceV2Relation => Some(relation.table)
      case _ => None
    }
  }

  /** Spark 4.3 has a node of its own for a MERGE with INSERT only. */
  private def isAppend(write: V2WriteCommand): Boolean = write match {
    case _: AppendData => true
    case other => other.nodeName == "InsertOnlyMerge"
  }

  private def ofChange(command: Command, write: WriteDelta): StatementReads = command match {
    case Command.MERGE => MergeReads.ofChanges(write.query)
        .getOrElse(StatementIsolation.unknown(command))
    case Command.UPDATE | Command.DELETE =>
      StatementReads(command.name, matching(write.condition), Isolation.Snapshot)
  }

  private def ofAppend(
      table: WritableLanceTable,
      relation: NamedRelation,
      query: LogicalPlan
  ): Option[StatementReads] =
    MergeReads.ofAppend(query, relation.output).orElse {
      Option.when(reads(query, table))(StatementReads("INSERT", Phantoms.Changed, Isolation.Snapshot))
    }

  /** Returns the rows that satisfy a condition, or every row where Spark would have to plan the condition
    * again.
    */
  private def matching(condition: Expression): Phantoms =
    if (!condition.deterministic || condition.exists(_.isInstanceOf[SubqueryExpression])) Phantoms.Added
    else
      Phantoms.Matching(condition.transform { case column: AttributeReference =>
        UnresolvedAttribute(Seq(column.name))
      })

  /** Whether a query reads the version of the table that it writes to. */
  private def reads(query: LogicalPlan, table: LanceTable): Boolean = query.collectWithSubqueries {
    case relation: DataSourceV2Relation => relation.table
  }.exists {
    case read: LanceTable =>
      read.location == table.location && read.dataset.version == table.dataset.version
    case _ => false
  }
}
