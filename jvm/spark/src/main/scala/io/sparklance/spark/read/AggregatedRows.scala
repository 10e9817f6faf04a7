package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  Average,
  Count,
  Max,
  Min,
  Sum
}
import org.apache.spark.sql.catalyst.expressions.{
  AttributeMap,
  AttributeReference,
  Expression,
  Literal,
  ScalarSubquery
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.NumericType

import io.sparklance.schema.Field

/** A scalar subquery that aggregates rows of one scan to one row, by functions that Spark merges with others.
  *
  * @param scan
  *   the scan of these rows
  * @param isCount
  *   whether the scan in the plan counts the rows instead of returning them
  */
final private case class AggregatedRows(
    plan: LogicalPlan,
    relation: DataSourceV2ScanRelation,
    scan: LanceScan,
    isCount: Boolean
) {
  def columns: Vector[Field] = scan.columns

  /** The scan without columns, which is equal if it is of the same rows. */
  lazy val rows: LanceScan = scan.reading(Vector.empty)

  /** Returns the plan over a scan of these columns.
    *
    * @param model
    *   one that returns the same rows. All read its relation: Spark 4.0 merges no scans of relations whose
    *   attributes have other ids, and keeps more about its relation than about one that counts
    */
  def reading(all: Vector[Field], model: AggregatedRows): LogicalPlan = {
    val shared = model.wider(all)
    if (isCount) AggregatedRows.counting(plan, shared)
    else {
      val names = AttributeMap(wider(all).output.zip(shared.output))
      plan.transform {
        case found: DataSourceV2ScanRelation if found eq relation => shared
        case node => node.transformExpressions { case own: AttributeReference => names.getOrElse(own, own) }
      }
    }
  }

  /** Whether the relation has each of these columns in the type that a scan of all returns: it lacks metadata
    * columns of which others ask, and has all fields of a struct that others prune.
    */
  def canRead(all: Vector[Field]): Boolean = {
    val types = scan.reading(all).readSchema().map(_.dataType)
    all.map(attribute).zip(types).forall { case (found, kind) => found.exists(_.dataType == kind) }
  }

  private def attribute(field: Field): Option[AttributeReference] =
    relation.output.find(_.name == field.name).orElse(relation.relation.output.find(_.name == field.name))

  private def wider(all: Vector[Field]): LogicalPlan = {
    val output = all.flatMap(attribute)
    // The fields of Spark's node differ between its releases.
    val parts = relation.productIterator.map {
      case part: AnyRef if part eq relation.scan => scan.reading(all)
      case part: AnyRef if part eq relation.output => output
      case part => part.asInstanceOf[AnyRef]
    }
    relation.makeCopy(parts.toArray)
  }
}

private object AggregatedRows {

  def of(subquery: ScalarSubquery): Option[AggregatedRows] =
    if (subquery.isCorrelated) None
    else
      for {
        aggregate <- aggregateOf(subquery.plan)
        relation <- relationOf(aggregate.child)
        found <- relation.scan match {
          case scan: LanceScan if aggregate.aggregateExpressions.forall(isMerged) =>
            Some(AggregatedRows(subquery.plan, relation, scan, isCount = false))
          case scan: LanceGroupScan if aggregate.aggregateExpressions.size == 1 =>
            scan.counted.map(AggregatedRows(subquery.plan, relation, _, isCount = true))
          case _ => None
        }
      } yield found

  private def aggregateOf(plan: LogicalPlan): Option[Aggregate] = plan match {
    case aggregate: Aggregate => Some(aggregate).filter(_.groupingExpressions.isEmpty)
    case Project(_, child) => aggregateOf(child)
    case _ => None
  }

  private def relationOf(plan: LogicalPlan): Option[DataSourceV2ScanRelation] = plan match {
    case relation: DataSourceV2ScanRelation => Some(relation)
    case Project(_, child) => relationOf(child)
    case Filter(_, child) => relationOf(child)
    case _ => None
  }

  /** Whether Spark merges all functions of an expression: they have buffers of a fixed size. */
  private def isMerged(expression: Expression): Boolean = {
    val functions = expression.collect { case function: AggregateExpression => function }
    functions.nonEmpty && functions.forall { function =>
      !function.isDistinct && function.filter.isEmpty &&
      (function.aggregateFunction match {
        case _: Count | _: Sum | _: Average => true
        case least: Min => least.dataType.isInstanceOf[NumericType]
        case greatest: Max => greatest.dataType.isInstanceOf[NumericType]
        case _ => false
      })
    }
  }

  /** Counts the rows of a relation, instead of adding up the counts of the scan. */
  private def counting(plan: LogicalPlan, rows: LogicalPlan): LogicalPlan = plan.transform {
    case aggregate: Aggregate =>
      aggregate.transformExpressions {
        case sum: AggregateExpression if sum.aggregateFunction.isInstanceOf[Sum] =>
          sum.copy(aggregateFunction = Count(Seq(Literal(1))))
      }.withNewChildren(Seq(rows))
  }
}
