package io.sparklance.spark.isolation

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.expressions.{Expression, Expressions, Literal}
import org.apache.spark.sql.types.DataType

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.MatchingRows
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.read.Pushdown
import io.sparklance.spark.types.LossyValues

/** Few keys of a statement, by which the driver tells quickly that rows of others have none of them. A job
  * for each look would take longer than others need to commit again.
  *
  * @param predicate
  *   is satisfied by all rows with one of the keys, perhaps by more; None if that is not known
  */
final private[isolation] class OwnKeys(predicate: Option[Predicate]) {

  /** Whether rows may have one of the keys. */
  def mayBeIn(rows: Dataset): Boolean = {
    val isKnown = rows.fragments.map(rows.physicalRows).sum <= OwnKeys.MostOthers
    predicate.filter(_ => isKnown).forall(!MatchingRows.of(rows, _).isEmpty)
  }
}

private[isolation] object OwnKeys {

  /** Most rows of a statement whose keys the driver holds. */
  final val Most = 10000L

  /** Most rows of others that the driver reads. */
  final private val MostOthers = 1000000L

  val Unknown = new OwnKeys(None)

  /** Returns the keys of a statement's rows. */
  def of(rows: DataFrame, keys: Vector[ComparedColumn], schema: LanceSchema): OwnKeys = {
    val columns = rows.select(keys.map(_.in(rows)): _*)
    val kinds = columns.schema.map(_.dataType).toVector
    val found = columns.queryExecution.executedPlan.executeCollect().toVector
      .filterNot(row => keys.indices.exists(i => row.isNullAt(i) && !keys(i).nullsMatch))
    val known = new Pushdown(schema.fields, LossyValues.Fail)
    val each = keys.indices.toVector.flatMap(i => oneOf(keys(i), kinds(i), found, i)).map(known.translate)
    new OwnKeys(
      if (found.isEmpty) Some(Predicate.Never)
      else Option(each.flatten).filter(_.nonEmpty).map(Predicate.all(_: _*))
    )
  }

  /** Returns a condition on one of the key's columns. */
  private def oneOf(
      key: ComparedColumn,
      kind: DataType,
      rows: Vector[InternalRow],
      at: Int
  ): Option[SparkPredicate] = {
    val column = Expressions.column(key.quoted)
    val values = rows.filterNot(_.isNullAt(at)).map(_.get(at, kind)).distinct.map(constant(_, kind))
    val isNull = Option.when(rows.exists(_.isNullAt(at)))(new SparkPredicate("IS_NULL", Array(column)))
    val isIn = Option.when(values.nonEmpty)(new SparkPredicate("IN", (column +: values).toArray[Expression]))
    (isNull ++ isIn).reduceOption((a, b) => new SparkPredicate("OR", Array(a, b)))
  }

  private def constant(of: Any, kind: DataType): Literal[Any] = new Literal[Any] {
    override def value: Any = of
    override def dataType: DataType = kind
    override def children: Array[Expression] = Array.empty
    override def toString: String = of.toString
  }
}
