package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.expressions.{
  And,
  ArrayContains,
  ArraysOverlap,
  AttributeReference,
  Expression,
  Literal,
  Or
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.read.{Item, LanceScanBuilder, ListFilter}

/** Shows conditions on lists to scans, because Spark does not offer them to connectors. The filter stays, so
  * the scan need not evaluate them: an index may use them to leave out rows.
  */
private[sparklance] object ListConditions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(condition, relation: DataSourceV2Relation) =>
      filter.withNewChildren(Seq(listed(relation, filters(condition, relation))))
    case node if node.children.exists(isListed) =>
      // The filter above the scan is gone.
      node.mapChildren {
        case relation: DataSourceV2Relation => listed(relation, Vector.empty)
        case child => child
      }
  }

  private def isListed(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[ListedLanceTable]
    case _ => false
  }

  /** Returns a scan of a table that knows the filters; other nodes as they are. */
  private def listed(relation: DataSourceV2Relation, filters: Vector[ListFilter]): LogicalPlan =
    relation.table match {
      case table: ListedLanceTable if table.filters == filters => relation
      case table: ListedLanceTable => withTable(relation, table.of.listing(filters))
      case table: LanceTable if filters.nonEmpty => withTable(relation, table.listing(filters))
      case _ => relation
    }

  /** Replaces the table. The constructor of the node differs between releases of Spark. */
  private[table] def withTable(relation: DataSourceV2Relation, table: LanceTable): LogicalPlan = {
    val arguments = relation.productIterator.map {
      case _: LanceTable => table
      case other => other.asInstanceOf[AnyRef]
    }
    relation.makeCopy(arguments.toArray)
  }

  private def filters(condition: Expression, relation: DataSourceV2Relation): Vector[ListFilter] = {
    def column(attribute: AttributeReference): Option[String] =
      relation.output.find(_.exprId == attribute.exprId).map(_.name)
    condition match {
      case And(left, right) => filters(left, relation) ++ filters(right, relation)
      case Or(left, right) => either(filters(left, relation), filters(right, relation))
      case ArrayContains(list: AttributeReference, Literal(value, kind)) if value != null =>
        column(list).map(ListFilter(_, Vector(Item(value, kind)))).toVector
      case ArraysOverlap(list: AttributeReference, Items(items)) =>
        column(list).map(ListFilter(_, items)).toVector
      case ArraysOverlap(Items(items), list: AttributeReference) =>
        column(list).map(ListFilter(_, items)).toVector
      case _ => Vector.empty
    }
  }

  /** Returns filters that a row passes if it passes those on the left or those on the right: for a column
    * with filters on both sides, their items together.
    */
  private def either(left: Vector[ListFilter], right: Vector[ListFilter]): Vector[ListFilter] = for {
    a <- left
    b <- right if a.column == b.column
  } yield ListFilter(a.column, (a.values ++ b.values).distinct)

  /** The items of a constant list, without nulls, which are equal to no item. */
  private object Items {
    def unapply(expression: Expression): Option[Vector[Item]] = expression match {
      case Literal(items: ArrayData, ArrayType(kind, _)) =>
        Some(items.toObjectArray(kind).toVector.filter(_ != null).map(Item(_, kind)))
      case _ => None
    }
  }
}

/** A table with filters on lists that Spark evaluates on each row of its scan. */
final private[table] class ListedLanceTable(val of: LanceTable, val filters: Vector[ListFilter])
    extends LanceTable(of.name, of.location, of.dataset) {

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    of.newScanBuilder(options) match {
      case builder: LanceScanBuilder => builder.withLists(filters)
      case other => other
    }

  override def equals(other: Any): Boolean = other match {
    case that: ListedLanceTable => of == that.of && filters == that.filters
    case _ => false
  }
  override def hashCode: Int = (of, filters).hashCode
}
