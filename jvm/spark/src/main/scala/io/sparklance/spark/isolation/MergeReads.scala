package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.objects.{AssertNotNull, StaticInvoke}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeSet,
  Cast,
  CheckOverflowInTableInsert,
  CreateNamedStruct,
  EqualNullSafe,
  EqualTo,
  Expression,
  GetStructField,
  If,
  IsNull,
  Literal
}
import org.apache.spark.sql.catalyst.plans.LeftAnti
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, MergeRows, Project}
import org.apache.spark.sql.types.{
  ArrayType,
  DataType,
  DoubleType,
  FloatType,
  IntegerType,
  LongType,
  MapType,
  StringType,
  StructType,
  TimestampType
}

import io.sparklance.spark.options.Isolation

/** Finds, in Spark's plans of a MERGE, the columns of the table that its condition equates with expressions
  * of the source.
  *
  * A row that the MERGE inserts, and one that another statement inserts with the same values in these
  * columns, would have matched. This holds only if a column's inserted value is the expression that it is
  * compared with, so other columns are left out: fewer columns mean more conflicts, never fewer.
  */
private[spark] object MergeReads {
  val Command = "MERGE"

  /** Returns what a MERGE reads that is planned as a change of rows; None for other plans.
    *
    * @param query
    *   the rows to write
    */
  def ofChanges(query: LogicalPlan): Option[StatementReads] = query.collectFirst {
    case rows: MergeRows => rows.child.collectFirst { case join: Join => join } match {
        case Some(join) if rows.notMatchedInstructions.nonEmpty =>
          val found = reads(join.condition, join.left.outputSet, join.right.outputSet, insertedBy(rows))
          if (rows.notMatchedBySourceInstructions.isEmpty) found
          else found.copy(phantoms = withOthers(found.phantoms))
        // Without INSERT, added rows can only be rows to change.
        case _ => StatementReads(Command, Phantoms.Added, Isolation.Snapshot)
      }
  }

  /** A MERGE with NOT MATCHED BY SOURCE acts on rows without its keys, too. */
  private def withOthers(phantoms: Phantoms): Phantoms = phantoms match {
    case keys: Phantoms.SameKey => keys.copy(andOthers = true)
    case Phantoms.Added | Phantoms.Changed | Phantoms.Matching(_) | Phantoms.Satisfying(_) => phantoms
  }

  /** Returns what a MERGE reads that has INSERT only, which Spark plans as an append of the source's rows
    * without a match; None for other plans.
    *
    * @param target
    *   columns of the table that is written
    */
  def ofAppend(query: LogicalPlan, target: Seq[Attribute]): Option[StatementReads] = {
    def ofJoin(join: Join, inserted: Inserted) =
      Option.when(join.joinType == LeftAnti && isTable(join.right, target))(
        reads(join.condition, AttributeSet(target), join.left.outputSet, inserted)
      )
    query match {
      case Project(values, join: Join) =>
        val byName = values.map { case value => value.name -> unnamed(value) }
        ofJoin(join, name => Vector(byName.find(_._1 == name).map(_._2)))
      case rows: MergeRows => rows.child match {
          case join: Join => ofJoin(join, insertedBy(rows))
          case _ => None
        }
      case _ => None
    }
  }

  /** Returns, for a top-level column of the table, its value by each INSERT clause. */
  private type Inserted = String => Vector[Option[Expression]]

  private def insertedBy(rows: MergeRows): Inserted = name => {
    val at = rows.output.indexWhere(_.name == name)
    rows.notMatchedInstructions.toVector.map(_.outputs.headOption.flatMap(_.lift(at)))
  }

  /** In the plan of a MERGE alone, the rows that are joined have the very columns that are written. */
  private def isTable(plan: LogicalPlan, target: Seq[Attribute]): Boolean =
    target.nonEmpty && target.forall(plan.outputSet.contains)

  private def reads(
      condition: Option[Expression],
      target: AttributeSet,
      source: AttributeSet,
      inserted: Inserted
  ): StatementReads = {
    val keys = conjuncts(condition).flatMap {
      case EqualTo(a, b) => key(a, b, target, source, inserted, nullsMatch = false)
      case EqualNullSafe(a, b) => key(a, b, target, source, inserted, nullsMatch = true)
      case _ => None
    }
    val phantoms = if (keys.isEmpty) Phantoms.Added else Phantoms.SameKey(keys)
    StatementReads(Command, phantoms, Isolation.Serializable)
  }

  private def conjuncts(condition: Option[Expression]): Vector[Expression] = condition match {
    case None => Vector.empty
    case Some(And(left, right)) => conjuncts(Some(left)) ++ conjuncts(Some(right))
    case Some(other) => Vector(other)
  }

  private def key(
      a: Expression,
      b: Expression,
      target: AttributeSet,
      source: AttributeSet,
      inserted: Inserted,
      nullsMatch: Boolean
  ): Option[ComparedColumn] = {
    def compared(column: Expression, value: Expression) = for {
      (path, kind) <- columnOf(column, target)
      if value.references.nonEmpty && value.references.subsetOf(source) && value.deterministic
      values = inserted(path.head).map(_.flatMap(within(_, path.tail)))
      if values.nonEmpty && values.forall(_.exists(LosslessCasts.fits(_, value, kind)))
    } yield ComparedColumn(path, nullsMatch)
    compared(a, b).orElse(compared(b, a))
  }

  /** Returns the path and the type of a column whose values are compared as they are, or widened without
    * loss. A statement may write names in another case than the table does.
    */
  private def columnOf(expression: Expression, target: AttributeSet): Option[(Vector[String], DataType)] =
    expression match {
      case column: Attribute if isBinary(column.dataType) =>
        target.find(_.exprId == column.exprId).map(found => Vector(found.name) -> column.dataType)
      case field: GetStructField if isBinary(field.dataType) =>
        columnOf(field.child, target).map { case (path, _) =>
          (path :+ field.childSchema(field.ordinal).name) -> field.dataType
        }
      case cast: Cast if LosslessCasts.isLossless(cast.child.dataType, cast.dataType) =>
        columnOf(cast.child, target)
      case _ => None
    }

  /** Returns a field of a struct that an INSERT writes, if the struct is made of its fields or is the
    * source's.
    */
  private def within(value: Expression, path: Vector[String]): Option[Expression] =
    path.foldLeft(Option(value))((at, name) => at.flatMap(StructFields.of(_, name)))

  private def unnamed(expression: Expression): Expression = expression match {
    case Alias(child, _) => child
    case other => other
  }

  /** Whether equal values have equal bytes: some collations of texts compare them otherwise. */
  private def isBinary(kind: DataType): Boolean = kind match {
    case text: StringType => text == StringType
    case StructType(fields) => fields.forall(field => isBinary(field.dataType))
    case ArrayType(item, _) => isBinary(item)
    case MapType(key, value, _) => isBinary(key) && isBinary(value)
    case _ => true
  }
}

/** Fields of structs in the expressions by which Spark fits a source's values to a table's columns. */
private[isolation] object StructFields {

  /** Returns a field of a struct; None if it is not known which expression it has. */
  def of(struct: Expression, name: String): Option[Expression] = struct match {
    case made: CreateNamedStruct =>
      made.nameExprs.zip(made.valExprs).collectFirst {
        case (Literal(n, _), value) if n.toString == name => value
      }
    // NULL where the source's struct is NULL.
    case If(_: IsNull, Literal(null, _), made) => of(made, name)
    case Alias(child, _) => of(child, name)
    case Cast(child, _, _, _) => of(child, name)
    case other => other.dataType match {
        case kind: StructType if kind.fieldNames.contains(name) =>
          Some(GetStructField(other, kind.fieldIndex(name), Some(name)))
        case _ => None
      }
  }
}

/** Casts around the values that a MERGE compares and inserts. */
private[isolation] object LosslessCasts {

  /** Whether a cast gives different values for different ones. Spark's own upcasts may round integers to
    * floats, and map different times of one time zone to one.
    */
  def isLossless(from: DataType, to: DataType): Boolean = (from, to) match {
    case (a, b) if a == b => true
    case (StructType(a), StructType(b)) =>
      a.length == b.length && a.zip(b).forall { case (x, y) => isLossless(x.dataType, y.dataType) }
    case (ArrayType(a, _), ArrayType(b, _)) => isLossless(a, b)
    case (_: MapType, _) | (_, _: StringType) => false
    case (LongType, FloatType | DoubleType) | (IntegerType, FloatType) => false
    case (TimestampType, _) | (_, TimestampType) => false
    case (a, b) => Cast.canUpCast(a, b)
  }

  /** Whether the value that is inserted into a column is the one that the column is compared with: it may
    * only be fitted to the column's type.
    */
  def fits(inserted: Expression, compared: Expression, column: DataType): Boolean = {
    val value = widened(compared)
    Iterator.iterate(Option(inserted))(_.flatMap(inner(_, column))).takeWhile(_.isDefined).flatten
      .exists(step => step.semanticEquals(value) || step.semanticEquals(compared))
  }

  private def inner(expression: Expression, column: DataType): Option[Expression] = expression match {
    case cast: Cast if isSame(cast.dataType, column) || isLossless(cast.child.dataType, cast.dataType) =>
      Some(cast.child)
    case Alias(child, _) => Some(child)
    case AssertNotNull(child, _) => Some(child)
    case CheckOverflowInTableInsert(child, _) => Some(child)
    case call: StaticInvoke if call.functionName.endsWith("TypeWriteSideCheck") => call.arguments.headOption
    case _ => None
  }

  private def widened(expression: Expression): Expression = expression match {
    case cast: Cast if isLossless(cast.child.dataType, cast.dataType) => widened(cast.child)
    case other => other
  }

  /** Whether types differ in nullability only. */
  private def isSame(a: DataType, b: DataType): Boolean = isLossless(a, b) && isLossless(b, a)
}
