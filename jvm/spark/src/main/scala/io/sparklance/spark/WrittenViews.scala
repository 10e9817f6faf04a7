package io.sparklance.spark

import scala.annotation.tailrec

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.SqlNames
import io.sparklance.spark.table.{LanceTable, WritableLanceTable}

/** Lets statements that write name a temporary view that shows a whole Lance table, by the name of the table.
  * Spark itself refuses most of them, or does not find the table.
  */
final private class WrittenViews(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement => retargeted(insert, insert.table, "INSERT")
    case write: V2WriteCommand => retargeted(write, write.table, "writeTo")
    case update: UpdateTable => retargeted(update, update.table, "UPDATE")
    case delete: DeleteFromTable => retargeted(delete, delete.table, "DELETE")
    case merge: MergeIntoTable => retargeted(merge, merge.targetTable, "MERGE")
  }

  /** Puts the table in the place of the view. Copies the statement by its parts: their number depends on the
    * release of Spark.
    */
  private def retargeted(statement: LogicalPlan, target: LogicalPlan, doing: String): LogicalPlan = {
    val table = target match {
      case name: UnresolvedRelation => tableOf(name, doing).map { table =>
          if (doing == "INSERT" || doing == "writeTo") table
          else SubqueryAlias(name.multipartIdentifier, table)
        }
      case SubqueryAlias(alias, name: UnresolvedRelation) =>
        tableOf(name, doing).map(SubqueryAlias(alias.name, _))
      case _ => None
    }
    table.fold(statement) { table =>
      statement.makeCopy(statement.productIterator.map {
        case part: AnyRef => if (part eq target) table else part
        case other => other.asInstanceOf[AnyRef]
      }.toArray)
    }
  }

  private def tableOf(name: UnresolvedRelation, doing: String): Option[UnresolvedRelation] =
    if (!session.sessionState.catalog.isTempView(name.multipartIdentifier)) None
    else {
      val view = name.multipartIdentifier.map(SqlNames.quoted).mkString(".")
      val plan = session.table(view).queryExecution.analyzed
      val tables = plan.collect { case relation: DataSourceV2Relation => relation.table }.collect {
        case table: LanceTable => table.name
      }
      if (tables.isEmpty) None
      else translating {
        val table = WrittenViews.relation(plan).flatMap(WrittenViews.name).getOrElse(
          throw new LanceUsageException(
            s"$doing cannot write to the temporary view $view, which does not show all columns and rows of the latest version of " +
              s"one table as they are. Name the table itself: ${tables.distinct.mkString(", ")}."
          )
        )
        if (WrittenViews.isFixed(plan)) show(name.multipartIdentifier, view, table)
        Some(name.copy(multipartIdentifier = table))
      }
    }

  /** Makes a view of a DataFrame, which would keep its version, show the latest version. */
  private def show(name: Seq[String], view: String, table: Seq[String]): Unit = {
    val (kind, plain) = if (name.size > 1) ("GLOBAL TEMPORARY", SqlNames.quoted(name.last))
    else ("TEMPORARY", view)
    val _ = session.sql(
      s"CREATE OR REPLACE $kind VIEW $plain AS SELECT * FROM ${table.map(SqlNames.quoted).mkString(".")}"
    )
  }
}

private object WrittenViews {

  /** Whether the view has the plan of a DataFrame instead of a query's text. */
  private def isFixed(plan: LogicalPlan): Boolean = plan match {
    case alias: SubqueryAlias => isFixed(alias.child)
    case view: View => view.isTempViewStoringAnalyzedPlan
    case _ => false
  }

  /** Returns the relation that a plan shows as it is. */
  @tailrec private def relation(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
    case alias: SubqueryAlias => relation(alias.child)
    case view: View => relation(view.child)
    case project: Project if isWhole(project) => relation(project.child)
    case relation: DataSourceV2Relation => Some(relation)
    case _ => None
  }

  private def isWhole(project: Project): Boolean = {
    val (shown, all) = (project.projectList, project.child.output)
    shown.size == all.size && shown.zip(all).forall { case (one, other) => isSame(one, other) }
  }

  private def isSame(shown: NamedExpression, column: Attribute): Boolean = shown match {
    case same: Attribute => same.exprId == column.exprId
    case Alias(same: Attribute, name) => same.exprId == column.exprId && name == column.name
    // A view's text is read with casts to the types that its columns had.
    case Alias(cast: Cast, name) => cast.child match {
        case same: Attribute =>
          same.exprId == column.exprId && name == column.name && same.dataType == cast.dataType
        case _ => false
      }
    case _ => false
  }

  /** Returns the name of a table that can be written by it. */
  private def name(relation: DataSourceV2Relation): Option[Seq[String]] = relation.table match {
    case table: LancePathTable => Option.when(table.isPlain(relation.options))(table.named)
    case _: WritableLanceTable =>
      for (catalog <- relation.catalog; table <- relation.identifier)
        yield parts(catalog.name, table)
    case _ => None
  }

  private def parts(catalog: String, table: Identifier): Seq[String] =
    catalog +: table.namespace.toVector :+ table.name
}
