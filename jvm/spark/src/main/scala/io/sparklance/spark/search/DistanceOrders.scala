package io.sparklance.spark.search

import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  AttributeReference,
  Expression,
  IntegerLiteral,
  Literal,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Project, Sort}
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.{ArrayType, DoubleType, FloatType}

import io.sparklance.LanceUsageException
import io.sparklance.spark.functions.Distance
import io.sparklance.spark.options.LanceOptions
import io.sparklance.spark.read.LanceScan
import io.sparklance.spark.table.LanceTable
import io.sparklance.vector.{Metric, NearestSpec, Query, VectorColumn, VectorItem}

/** Searches for the rows of `ORDER BY l2(v, array(…)) LIMIT k` in one pass over the vectors. Spark sorts the
  * rows that are found by its own distances. It does not offer such orders to connectors if the function is
  * its own, and does not tell them which filters it keeps; so this looks at the optimized plan, and plans
  * another one in its place.
  */
private[spark] object DistanceOrders extends SparkStrategy {

  /** Longer results are sorted by Spark. */
  final private val MostRows = 10000

  override def apply(plan: LogicalPlan): Seq[SparkPlan] =
    if (!plan.containsPattern(TreePattern.LIMIT)) Nil
    else {
      val found = searched(plan)
      if (found eq plan) Nil else Seq(planLater(found))
    }

  private def searched(plan: LogicalPlan): LogicalPlan = plan.transform {
    case limit @ LocalLimit(IntegerLiteral(k), child) if k > 0 && k <= MostRows =>
      ordered(child, k).fold[LogicalPlan](limit)(found => limit.copy(child = found))
  }

  private def ordered(plan: LogicalPlan, k: Int): Option[LogicalPlan] = plan match {
    case project: Project => ordered(project.child, k).map(child => project.copy(child = child))
    case sort: Sort if sort.global =>
      sort.order match {
        case Seq(SortOrder(distance, Ascending, _, _)) =>
          replaced(sort.child, distance, k).map(child => sort.withNewChildren(Seq(child)))
        case _ => None
      }
    case _ => None
  }

  /** Replaces the scan below an order. A filter above it counts rows that the scan would leave out. */
  private def replaced(plan: LogicalPlan, distance: Expression, k: Int): Option[LogicalPlan] = plan match {
    case project: Project =>
      val aliases = project.projectList.collect { case alias: Alias => alias.exprId -> alias.child }.toMap
      val inner = distance.transform { case a: Attribute => aliases.getOrElse(a.exprId, a) }
      replaced(project.child, inner, k).map(child => project.copy(child = child))
    case relation: DataSourceV2ScanRelation =>
      for {
        scan <- Some(relation.scan).collect { case scan: LanceScan if isWhole(scan) => scan }
        of <- relation.productIterator.collectFirst { case of: DataSourceV2Relation => of }
        table <- Some(of.table).collect { case table: LanceTable => table }
        _ <- Option.when(LanceOptions.forRead(of.options).pushDownFilters)(())
        spec <- spec(distance, relation, table, k)
      } yield withScan(relation, new DistanceOrderedScan(table, spec, scan, of.options))
    case _ => None
  }

  private def isWhole(scan: LanceScan): Boolean = {
    val rows = scan.pushed.rows
    rows.slice.isAll && rows.sample.isEmpty && rows.top.isEmpty
  }

  /** Replaces the scan. The constructor of the node differs between releases of Spark. */
  private def withScan(relation: DataSourceV2ScanRelation, scan: Scan): LogicalPlan = {
    val arguments = relation.productIterator.map {
      case _: Scan => scan
      case other => other.asInstanceOf[AnyRef]
    }
    relation.makeCopy(arguments.toArray)
  }

  private def spec(
      distance: Expression,
      relation: DataSourceV2ScanRelation,
      table: LanceTable,
      k: Int
  ): Option[NearestSpec] = for {
    (metric, arguments) <- call(distance)
    (vectors, items) <- arguments match {
      case Seq(vectors: AttributeReference, Numbers(items)) => Some((vectors, items))
      case Seq(Numbers(items), vectors: AttributeReference) => Some((vectors, items))
      case _ => None
    }
    name <- relation.output.find(_.exprId == vectors.exprId).map(_.name)
    column <- table.dataset.schema.fields.find(_.name == name).flatMap(VectorColumn.of) if fits(column)
    query = new Query(Vector(items)) if isExact(query, column)
  } yield NearestSpec(column, metric, Vector(query), k)

  private def fits(column: VectorColumn): Boolean = !column.isMulti &&
    (column.item match {
      case VectorItem.Float16 | VectorItem.Float32 | VectorItem.Float64 => true
      case VectorItem.BFloat16 | VectorItem.Int8 | VectorItem.UInt8 => false
    })

  /** Whether the query is the same as an item of the column; searches round it. */
  private def isExact(query: Query, column: VectorColumn): Boolean =
    try Query.fitted(query, column) == query
    catch { case _: LanceUsageException => false }

  private def call(distance: Expression): Option[(Metric, Seq[Expression])] = distance match {
    case call: Invoke =>
      call.targetObject match {
        case Literal(function: Distance[_], _) => Metric.parse(function.name).map(_ -> call.arguments)
        case _ => None
      }
    case call: StaticInvoke if call.functionName == "vectorL2Distance" =>
      Some((Metric.L2, call.arguments.take(2)))
    case _ => None
  }

  /** A constant array of numbers. */
  private object Numbers {
    def unapply(expression: Expression): Option[Array[Double]] = expression match {
      case Literal(items: ArrayData, ArrayType(kind, _))
          if !(0 until items.numElements()).exists(items.isNullAt) =>
        kind match {
          case FloatType => Some(items.toFloatArray().map(_.toDouble))
          case DoubleType => Some(items.toDoubleArray())
          case _ => None
        }
      case _ => None
    }
  }
}
