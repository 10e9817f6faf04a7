package io.sparklance.spark.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types._

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.vector.{NanRank, Neighbors, Query}

/** The columns of a join.
  *
  * @param left
  *   types of the left side's columns
  * @param query
  *   position of the vectors to search for among them
  * @param right
  *   types of the right side's columns, without the distance
  */
final private[search] case class JoinShape(
    left: Vector[DataType],
    query: Int,
    right: Vector[DataType],
    isOuter: Boolean
)

final private[search] case class JoinCounts(
    rows: SQLMetric,
    queries: SQLMetric,
    compared: SQLMetric,
    probed: SQLMetric
)

/** Joins the rows of a task. Belongs to one thread. */
final private[search] class JoinedRows(search: JoinSearch, shape: JoinShape, counts: JoinCounts) {
  private val copied = UnsafeProjection.create(shape.left.toArray)
  private val vectors = new QueryVectors(shape, search)
  private val absent = new GenericInternalRow(shape.right.size + 2)
  // The tool that shrinks the jar does not know that both branches of an if are rows, unless their types say
  // so.
  private val unread: InternalRow = new GenericInternalRow(1)
  private val distance = new GenericInternalRow(1)
  private val (rightSide, both) = (new JoinedRow, new JoinedRow)

  /** The columns of the left side, of the right side without the address, and the distance. */
  private val result = UnsafeProjection.create {
    val (n, m) = (shape.left.size, shape.right.size)
    val sides = (shape.left ++ shape.right).zipWithIndex.map { case (kind, i) =>
      BoundReference(i, kind, nullable = true)
    }
    sides :+ BoundReference(n + m + 1, FloatType, nullable = shape.isOuter)
  }

  /** Searches for the vectors of rows of the left side, and returns these with what was found. */
  def paired(rows: Iterator[InternalRow], place: SearchPlace): Iterator[(UnsafeRow, Neighbors)] =
    new JoinBatches(rows.map(row => copied(row).copy()), search.batch).flatMap(searched(_, place))

  private def searched(batch: Vector[UnsafeRow], place: SearchPlace): Vector[(UnsafeRow, Neighbors)] =
    translating {
      val queries = batch.map(vectors.of)
      val asked = queries.flatten
      val found = search.answers(asked, place)
      counts.queries += asked.size.toLong
      counts.compared += found.compared
      counts.probed += found.probed
      val answers = found.answers.iterator
      batch.zip(queries.map(_.fold(Neighbors.none)(_ => answers.next())))
    }

  /** Returns the rows of the join. */
  def completed(pairs: Iterator[(UnsafeRow, Neighbors)]): Iterator[InternalRow] =
    new PairBatches(pairs).flatMap(read)

  /** Reads the right side of some rows. */
  private def read(pairs: Vector[(UnsafeRow, Neighbors)]): Iterator[InternalRow] = translating {
    val rows = search.rows(JoinSearch.distinct(pairs.iterator.flatMap(_._2.addresses).toArray))
    pairs.iterator.flatMap { case (left, found) =>
      if (found.size > 0) found.addresses.indices.iterator.map(i => output(left, right(rows, found, i)))
      else if (shape.isOuter) Iterator.single(output(left, absent))
      else Iterator.empty
    }
  }

  private def right(rows: mutable.LongMap[InternalRow], found: Neighbors, i: Int): InternalRow = {
    distance.setFloat(0, found.distances(i))
    val address = found.addresses(i)
    rightSide(if (shape.right.isEmpty) unread else rows.getOrElse(address, throw missing(address)), distance)
  }

  private def output(left: InternalRow, right: InternalRow): InternalRow = {
    counts.rows += 1
    result(both(left, right))
  }

  private def missing(address: Long) =
    new IllegalStateException(s"row $address was found by a search, but is not in the table")
}

/** Takes the vectors to search for out of rows: none if the vector is null, or has a null, or a NaN that the
  * search does not take.
  */
final private class QueryVectors(shape: JoinShape, search: JoinSearch) {
  private val doubles: ArrayData => Array[Double] = shape.left(shape.query) match {
    case ArrayType(kind, _) => QueryVectors.doubles(kind)
    case other => throw new IllegalStateException(s"vectors of type $other")
  }

  def of(row: InternalRow): Option[Query] =
    Option.unless(row.isNullAt(shape.query))(row.getArray(shape.query)).filterNot(QueryVectors.hasNull)
      .map(doubles).filterNot(nans == NanRank.Out && _.exists(_.isNaN))
      .map(items => Query.fitted(new Query(Vector(items)), search.spec.column, nans))

  private def nans = search.spec.nans
}

private object QueryVectors {
  private def hasNull(items: ArrayData): Boolean = {
    val n = items.numElements()
    var i = 0
    while (i < n && !items.isNullAt(i)) i += 1
    i < n
  }

  private def doubles(kind: DataType): ArrayData => Array[Double] = kind match {
    case FloatType => _.toFloatArray().map(_.toDouble)
    case DoubleType => _.toDoubleArray()
    case ByteType => _.toByteArray().map(_.toDouble)
    case ShortType => _.toShortArray().map(_.toDouble)
    case IntegerType => _.toIntArray().map(_.toDouble)
    case LongType => _.toLongArray().map(_.toDouble)
    case decimal: DecimalType =>
      items =>
        Array.tabulate(items.numElements())(i =>
          items.getDecimal(i, decimal.precision, decimal.scale).toDouble
        )
    case other => throw new IllegalStateException(s"vectors of $other")
  }
}

/** Rows in batches, of a number and of bytes. */
final private class JoinBatches(rows: Iterator[UnsafeRow], most: Int) extends Iterator[Vector[UnsafeRow]] {
  def hasNext: Boolean = rows.hasNext

  def next(): Vector[UnsafeRow] = {
    val batch = Vector.newBuilder[UnsafeRow]
    var count = 0
    var bytes = 0L
    while (rows.hasNext && count < most && bytes < JoinBatches.Bytes) {
      val row = rows.next()
      batch += row
      count += 1
      bytes += row.getSizeInBytes
    }
    batch.result()
  }
}

private object JoinBatches {
  final private val Bytes = 64L << 20
}

/** Rows with what was found for them, in batches: the right sides of a batch are in memory at once. */
final private class PairBatches(pairs: Iterator[(UnsafeRow, Neighbors)])
    extends Iterator[Vector[(UnsafeRow, Neighbors)]] {
  def hasNext: Boolean = pairs.hasNext

  def next(): Vector[(UnsafeRow, Neighbors)] = {
    val batch = Vector.newBuilder[(UnsafeRow, Neighbors)]
    var found = 0L
    while (pairs.hasNext && found < PairBatches.Rows) {
      val pair = pairs.next()
      batch += pair
      found += math.max(1, pair._2.size)
    }
    batch.result()
  }
}

private object PairBatches {
  final private val Rows = 4096L
}
