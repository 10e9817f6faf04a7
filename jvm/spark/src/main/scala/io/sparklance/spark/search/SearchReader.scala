package io.sparklance.spark.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.{DataType, LongType}

import io.sparklance.dataset.scan.Split
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.read.{BeyondDriver, LanceInputPartition, LanceReaderFactory}
import io.sparklance.spark.types.SchemaConverter

/** Some rows of a search's result.
  *
  * @param rows
  *   the same rows in the table; None if only their addresses are wanted
  */
final private[search] case class SearchPartition(hits: Hits, rows: Option[Split]) extends InputPartition

/** A value of a row of the result. */
sealed private[search] trait HitValue extends Product with Serializable

private[search] object HitValue {
  case object QueryIndex extends HitValue

  /** @param index position among the columns that the search adds */
  final case class Added(index: Int) extends HitValue

  /** @param index position of the stored column */
  final case class Stored(index: Int) extends HitValue
}

/** Makes readers of the rows that a search found.
  *
  * @param stored
  *   reads stored columns, and the row address last
  * @param values
  *   columns of the result
  * @param most
  *   bytes of rows that a reader may hold
  */
final private[search] case class SearchReaderFactory(
    stored: LanceReaderFactory,
    values: Vector[HitValue],
    most: Long = Long.MaxValue
) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case SearchPartition(hits, rows) => translating(new SearchReader(hits, rows, this))
    case other => throw new IllegalArgumentException(s"not a partition of a search: $other")
  }
}

/** Reads the rows of hits in the table's order, and returns them in that of the hits. */
final private class SearchReader(hits: Hits, rows: Option[Split], factory: SearchReaderFactory)
    extends PartitionReader[InternalRow] {
  private val types: Array[DataType] =
    factory.stored.projection.map(SchemaConverter.plainType(_, factory.stored.readTypes)).toArray
  private val values = factory.values.toArray
  private val reader = rows.map(split => factory.stored.createReader(LanceInputPartition(split)))
  private lazy val found: mutable.LongMap[InternalRow] = read()
  private var at = -1

  override def next(): Boolean = {
    at += 1
    at < hits.size
  }

  override def get(): InternalRow = translating {
    val address = hits.addresses(at)
    val row = found.getOrElse(
      address,
      throw new IllegalStateException(s"row $address was found by a search, but is not in the table")
    )
    new GenericInternalRow(values.map {
      case HitValue.QueryIndex => hits.queries(at)
      case HitValue.Added(i) => if (hits.values(i)(at).isNaN) null else hits.values(i)(at)
      case HitValue.Stored(i) => if (row.isNullAt(i)) null else row.get(i, types(i))
    })
  }

  private def read(): mutable.LongMap[InternalRow] = reader.fold {
    val found = mutable.LongMap.empty[InternalRow]
    hits.addresses.foreach(address => found.update(address, addressOnly(address)))
    found
  }(RowsByAddress.read(_, types, factory.most))

  /** Returns a row for projections without stored columns other than the address. */
  private def addressOnly(address: Long): InternalRow =
    new GenericInternalRow(Array.fill[Any](types.count(_ == LongType))(address))

  override def currentMetricsValues(): Array[CustomTaskMetric] = Array.empty

  override def close(): Unit = reader.foreach(_.close())
}

private[search] object RowsByAddress {

  /** Reads rows to memory, by their addresses.
    *
    * @param types
    *   of their columns, the last of which is the address
    * @param most
    *   bytes of the rows
    */
  def read(
      reader: PartitionReader[InternalRow],
      types: Array[DataType],
      most: Long = Long.MaxValue
  ): mutable.LongMap[InternalRow] = {
    val found = mutable.LongMap.empty[InternalRow]
    var bytes = 0L
    val copy = UnsafeProjection.create(types)
    while (reader.next()) {
      val row = copy(reader.get()).copy()
      bytes += row.getSizeInBytes
      if (bytes > most) throw BeyondDriver
      found.update(row.getLong(types.length - 1), row)
    }
    found
  }
}
