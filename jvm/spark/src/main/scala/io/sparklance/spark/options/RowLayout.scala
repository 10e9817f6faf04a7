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

/** How Spark is to bring rows to tasks, and in which order, before they are written.
  *
  * @param together columns in which rows are alike that go to the same task, or to few
  * @param sorted what files are sorted by; if rows need not be together, the whole write is
  * @param taskBytes how many bytes of rows a task should get, as Spark counts them; then it may put tasks together and divide
  *   them, so that many small ones do not become many small files
  */
final case class RowLayout(
    together: Vector[ColumnPath] = Vector.empty,
    sorted: Vector[SortKey] = Vector.empty,
    taskBytes: Option[Long] = None
) {
  def distribution: Distribution =
    if (together.nonEmpty) Distributions.clustered(together.map(_.reference: Expression).toArray)
    else if (sorted.nonEmpty) Distributions.ordered(ordering)
    // Of tasks to be put together, without any columns to go by.
    else if (taskBytes.nonEmpty) Distributions.clustered(Array(Expressions.literal(0)))
    else Distributions.unspecified()

  def ordering: Array[SortOrder] = sorted.map(_.order).toArray

  /** Fails if the rows lack one of the columns. */
  def check(rows: StructType): Unit = (together ++ sorted.map(_.column)).foreach { column =>
    if (!column.isIn(rows))
      throw new LanceUsageException(
        s"The rows to be written have no column '$column' to be arranged by (options 'clusterColumns' and 'orderColumns'); " +
          s"they have ${rows.fieldNames.mkString(", ")}. Name some of these."
      )
  }
}

/** A column by its names, from the outermost. */
final case class ColumnPath(names: Vector[String]) {
  def reference: NamedReference =
    Expressions.column(names.map(SqlNames.quoted).mkString("."))

  def isIn(rows: DataType): Boolean = names.foldLeft(Option(rows)) { (in, name) =>
    in.collect { case struct: StructType =>
      struct.fields.find(f => Session.alike(f.name, name)).map(_.dataType)
    }.flatten
  }.isDefined

  override def toString: String = names.mkString(".")
}

final case class SortKey(column: ColumnPath, descending: Boolean) {
  def order: SortOrder = Expressions.sort(
    column.reference,
    if (descending) SortDirection.DESCENDING else SortDirection.ASCENDING
  )
}

object RowLayout {
  def noPartitions(clause: String): LanceUsageException = new LanceUsageException(
    s"A Lance table has no partitions, so $clause has no meaning for it. Leave it out; a sort or repartition of the " +
      "rows before the write is kept by the files."
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
      throw new IllegalArgumentException("it must be names of columns, with commas between")
    found
  }

  private def column(text: String): ColumnPath = ColumnPath(text.split("\\.", -1).toVector)
}
