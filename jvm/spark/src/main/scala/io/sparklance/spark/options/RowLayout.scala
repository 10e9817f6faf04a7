package io.sparklance.spark.options

import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{
  Expression,
  Expressions,
  NamedReference,
  SortDirection,
  SortOrder
}
import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.{Session, SqlNames}

/** Distribution and ordering of rows before a write.
  *
  * @param together
  *   clustering columns: rows with equal values go to the same task, or to few
  * @param sorted
  *   sort keys of each task or, without clustering columns, of the whole write
  * @param taskBytes
  *   advisory bytes of rows for a task, as Spark counts them; Spark may then join and divide tasks, so that
  *   many small ones do not become many small files
  */
final private[sparklance] case class RowLayout(
    together: Vector[ColumnPath] = Vector.empty,
    sorted: Vector[SortKey] = Vector.empty,
    taskBytes: Option[Long] = None
) {
  def distribution: Distribution =
    if (together.nonEmpty) Distributions.clustered(together.map(_.reference: Expression).toArray)
    else if (sorted.nonEmpty) Distributions.ordered(ordering)
    // Lets Spark join tasks without clustering columns.
    else if (taskBytes.nonEmpty) Distributions.clustered(Array(Expressions.literal(0)))
    else Distributions.unspecified()

  def ordering: Array[SortOrder] = sorted.map(_.order).toArray

  /** Refuses rows that lack one of the columns. */
  def check(rows: StructType): Unit = (together ++ sorted.map(_.column)).foreach { column =>
    if (!column.isIn(rows))
      throw new LanceUsageException(
        s"The rows to be written lack column '$column' (options 'clusterColumns' and 'orderColumns'); " +
          s"they have ${rows.fieldNames.mkString(", ")}. Name some of these."
      )
  }
}

/** Path of a column, outermost name first. */
final private[sparklance] case class ColumnPath(names: Vector[String]) {
  def reference: NamedReference =
    Expressions.column(names.map(SqlNames.quoted).mkString("."))

  def isIn(rows: DataType): Boolean = names.foldLeft(Option(rows)) { (in, name) =>
    in.collect { case struct: StructType =>
      struct.fields.find(f => Session.alike(f.name, name)).map(_.dataType)
    }.flatten
  }.isDefined

  override def toString: String = names.mkString(".")
}

final private[sparklance] case class SortKey(column: ColumnPath, descending: Boolean) {
  def order: SortOrder = Expressions.sort(
    column.reference,
    if (descending) SortDirection.DESCENDING else SortDirection.ASCENDING
  )
}

private[sparklance] object RowLayout {
  def noPartitions(clause: String): LanceUsageException = new LanceUsageException(
    s"A Lance table has no partitions, so $clause has no meaning for it. Leave it out, or sort or " +
      "repartition the rows before the write: files keep their order."
  )

  /** `a, s.b` */
  def columns(text: String): Vector[ColumnPath] = items(text).map(column)

  /** `a, s.b desc` */
  def sortKeys(text: String): Vector[SortKey] = items(text).map { item =>
    val words = item.split("\\s+(?=(?i:asc|desc)$)")
    SortKey(column(words.head), descending = words.lift(1).exists(_.equalsIgnoreCase("desc")))
  }

  private def items(text: String): Vector[String] = {
    val found = text.split(",", -1).map(_.trim).toVector
    if (found.exists(_.isEmpty))
      throw new IllegalArgumentException("it must be names of columns, separated by commas")
    found
  }

  private def column(text: String): ColumnPath = ColumnPath(text.split("\\.", -1).toVector)
}
