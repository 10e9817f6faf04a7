package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.MergeRows.Instruction
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeRows, Project}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.types.{DataType, DateType, NumericType, StringType, TimestampType}

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.session.Session

/** The values that an UPDATE or MERGE writes, in Spark's plan of it.
  *
  * @param columns
  *   the table's columns, each with its position in the rows
  */
final private[table] class AssignedColumns private (
    query: LogicalPlan,
    columns: Vector[(Attribute, Int)],
    rows: Vector[AssignedRow]
) {

  /** Columns that a changed row gets from another expression than the column itself. */
  def names: Vector[String] = columns.collect {
    case (column, at) if rows.exists(row => row.isUpdate && !row.keeps(column, at)) => column.name
  }

  /** Whether it adds rows. */
  def inserts: Boolean = rows.exists(_.isInsert)

  /** Returns the query whose changed rows have only some columns. */
  def narrowed(names: Vector[String]): LogicalPlan = {
    val left = columns.collect { case (column, at) if !names.contains(column.name) => at -> column }.toMap
    query match {
      case project: Project =>
        project.copy(projectList = project.projectList.zipWithIndex.map { case (value, i) =>
          left.get(i).fold(value)(column => Alias(Unassigned.of(column), column.name)())
        })
      case merge: MergeRows =>
        val narrow = merge.mapExpressions {
          case instruction: Instruction =>
            AssignedRow.of(instruction, query).fold[Expression](instruction)(row =>
              instruction.withNewChildren(instruction.children.head +: changed(row, left))
            )
          case other => other
        }
        narrow.mapChildren(child => Project(AssignedColumns.read(narrow, child), child))
      case other => other
    }
  }

  private def changed(row: AssignedRow, left: Map[Int, Attribute]): Seq[Expression] =
    if (row.isUpdate)
      row.values.zipWithIndex.map { case (value, i) =>
        left.get(i).fold(value)(Unassigned.of)
      }
    else if (row.isInsert) spread(row.values)
    else row.values

  /** Gives new rows, which are of no fragment, numbers that divide them among tasks. */
  private def spread(values: Seq[Expression]): Seq[Expression] = {
    val at = AssignedColumns.position(query, MetadataColumn.FragId.name)
    val hashed =
      columns.map { case (_, i) => values(i) }.filter(value => AssignedColumns.isHashed(value.dataType))
    if (hashed.isEmpty) values
    else values.updated(at, BitwiseOr(new XxHash64(hashed), Literal(Long.MinValue)))
  }
}

/** Values of one kind of rows that a statement writes.
  *
  * @param operation
  *   Spark's number of it
  * @param equated
  *   what is known of the columns of these rows
  */
final private[table] case class AssignedRow(
    operation: Int,
    values: Seq[Expression],
    equated: EquatedColumns = EquatedColumns.none
) {

  /** Whether a column, at this position, stays as it is. */
  def keeps(column: Attribute, at: Int): Boolean =
    AssignedColumns.is(values(at), column) || equated.has(column, values(at))

  def isUpdate: Boolean = operation == RowDeltaUtils.UPDATE_OPERATION
  def isInsert: Boolean = operation == RowDeltaUtils.INSERT_OPERATION
  def isKnown: Boolean = isUpdate || isInsert || operation == RowDeltaUtils.DELETE_OPERATION
}

private[table] object AssignedRow {
  def of(values: Seq[Expression], query: LogicalPlan): Option[AssignedRow] = for {
    value <- values.lift(AssignedColumns.position(query, RowDeltaUtils.OPERATION_COLUMN))
    number <- AssignedColumns.unnamed(value) match {
      case Literal(number: Int, _) => Some(number)
      case _ => None
    }
    row <- Some(AssignedRow(number, values)).filter(_.isKnown)
  } yield row

  /** Returns the row of an instruction that writes exactly one. */
  def of(instruction: Instruction, query: LogicalPlan): Option[AssignedRow] = instruction.outputs match {
    case Seq(values) if instruction.children.tail == values => of(values, query)
    case _ => None
  }
}

private[table] object AssignedColumns {

  /** Whether a plan lacks columns already. */
  def isNarrow(query: LogicalPlan): Boolean =
    query.exists(_.expressions.exists(_.exists(_.isInstanceOf[Unassigned])))

  /** @param table
    *   columns of the table that is written
    * @return
    *   None for plans of an unknown form
    */
  def of(query: LogicalPlan, table: Seq[Attribute]): Option[AssignedColumns] = {
    val columns = table.toVector.filterNot(column => isMetadata(column.name))
      .map(column => column -> position(query, column.name))
    val needed = Vector(MetadataColumn.FragId.name, MetadataColumn.RowAddr.name).map(position(query, _))
    val rows = query match {
      case Project(values, _) => all(Seq(AssignedRow.of(values, query)))
      case merge: MergeRows =>
        val matched =
          all(merge.matchedInstructions.filter(_.outputs.nonEmpty).map(AssignedRow.of(_, query)))
        val others = all(
          (merge.notMatchedInstructions ++ merge.notMatchedBySourceInstructions).filter(_.outputs.nonEmpty)
            .map(AssignedRow.of(_, query))
        )
        val equated = EquatedColumns.of(merge)
        for (a <- matched; b <- others) yield a.map(_.copy(equated = equated)) ++ b
      case _ => None
    }
    rows.filter(_ => (columns.map(_._2) ++ needed).forall(_ >= 0)).map(new AssignedColumns(query, columns, _))
  }

  private def all[A](found: Seq[Option[A]]): Option[Vector[A]] =
    Option.when(found.forall(_.isDefined))(found.flatten.toVector)

  /** Whether values of a type are good to divide rows by. */
  private def isHashed(kind: DataType): Boolean = kind match {
    case _: NumericType | StringType | DateType | TimestampType => true
    case _ => false
  }

  private def isMetadata(name: String): Boolean =
    MetadataColumn.all.exists(column => Session.alike(column.name, name))

  /** Spark finds the columns of rows by name, too. */
  def position(query: LogicalPlan, name: String): Int =
    query.output.indexWhere(column => Session.alike(column.name, name))

  /** Whether a value is that of a column. */
  def is(value: Expression, column: Attribute): Boolean = unnamed(value) match {
    case same: Attribute => same.exprId == column.exprId
    case _ => false
  }

  def unnamed(value: Expression): Expression = value match {
    case Alias(child, _) => child
    case other => other
  }

  /** Columns of a child that its parent needs. Spark finds the number of a row by its name. */
  def read(parent: LogicalPlan, child: LogicalPlan): Seq[Attribute] = {
    val named = AttributeSet.fromAttributeSets(parent.expressions.map(_.references))
    child.output.filter(column => named.contains(column) || column.name.startsWith("__"))
  }
}

/** Stands for the value of a column that the statement leaves as it is. Nobody reads it. */
final private[sparklance] case class Unassigned(child: Expression) extends UnaryExpression
    with TaggingExpression {
  override def foldable: Boolean = false

  /** Overrides a method of Spark 4.1 and later. */
  def contextIndependentFoldable: Boolean = false

  override def toString: String = "unassigned"
  override protected def withNewChildInternal(newChild: Expression): Unassigned = copy(child = newChild)
}

private[table] object Unassigned {
  def of(column: Attribute): Unassigned =
    Unassigned(if (column.nullable) Literal(null, column.dataType) else Literal.default(column.dataType))
}
