package io.sparklance.spark.changes

import java.security.MessageDigest

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.types.{LongType, StructField, StructType}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.changes.{ChangeKind, ChangedRows}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.read.{LanceReaderFactory, LanceScan, ScanSpec}
import io.sparklance.spark.session.JobDescription

/** Leaves updates out of net changes that have given a row its earlier values again. A job reads the states
  * of all updated rows and compares them by a digest, bit by bit: -0.0 differs from 0.0.
  */
private[changes] object EqualPairs {

  /** Returns the changes without the two states of rows that are equal. */
  def without(changes: Vector[ChangedRows], source: ChangesSource): Vector[ChangedRows] = {
    val updates = changes.filter(part => isUpdate(part.kind))
    if (updates.isEmpty) changes
    else {
      val states = JobDescription.during(
        SparkSession.active.sparkContext,
        s"lance ${source.location} version ${source.dataset.version}, comparison of updated rows"
      )(updates.map(part => part -> new Comparison(source).states(part)))
      val equal = both(states)
      changes.map { part =>
        equal.get(part).fold(part)(rows => part.copy(addresses = part.addresses.intersect(rows.complement)))
      }.filterNot(_.addresses.isEmpty)
    }
  }

  private def isUpdate(kind: ChangeKind): Boolean = kind match {
    case ChangeKind.UpdatePreimage | ChangeKind.UpdatePostimage => true
    case ChangeKind.Insert | ChangeKind.Delete => false
  }

  /** Returns the addresses of rows whose state occurs in all parts. */
  private def both(parts: Vector[(ChangedRows, Array[State])]): Map[ChangedRows, RowRanges] = {
    val found = mutable.HashMap.empty[Digest, Int].withDefaultValue(0)
    parts.foreach(_._2.foreach(state => found(state.digest) += 1))
    parts.map { case (part, states) =>
      part -> RowRanges.ofRows(states.filter(s => found(s.digest) == parts.size).map(_.address).sorted)
    }.toMap
  }
}

/** Digest of a row id and the values of the row. */
final private[changes] case class Digest(high: Long, low: Long)

final private[changes] case class State(address: Long, digest: Digest)

/** Reads all columns of the feed that the table has. */
final private class Comparison(source: ChangesSource) {
  private val added = Seq(MetadataColumn.RowId.name, MetadataColumn.RowAddr.name)
  private val spec = {
    val read = source.read
    val whole = ScanSpec(source.dataset.schema.fields, read.batchSize, read.readTypes, read.split)
    whole.pruned(StructType(whole.schema.fields ++ added.map(StructField(_, LongType, nullable = false))))
  }

  def states(part: ChangedRows): Array[State] = {
    val wanted = spec.withRows(_.copy(addresses = part.addresses))
    val partitions =
      new LanceScan(part.dataset, source.location, wanted, None).toBatch.planInputPartitions().toVector
    val reader = LanceReaderFactory(source.place, spec.projection, spec.batchRows, spec.readTypes)
    val rows = RowStates(reader, spec.schema)
    if (partitions.isEmpty) Array.empty
    else
      SparkSession.active.sparkContext.parallelize(partitions, partitions.size)
        .map(rows.of).collect().flatten
  }
}

/** Reads the rows of a change as digests of their values.
  *
  * @param schema
  *   columns of the rows; the last one is the address, which may differ
  */
final private case class RowStates(reader: LanceReaderFactory, schema: StructType) {

  def of(partition: InputPartition): Array[State] = {
    val last = schema.length - 1
    val values = UnsafeProjection.create(StructType(schema.dropRight(1)))
    val digest = MessageDigest.getInstance("SHA-256")
    val found = Array.newBuilder[State]
    val rows = reader.createReader(partition)
    try
      while (rows.next()) {
        val row = rows.get()
        val bits = java.nio.ByteBuffer.wrap(digest.digest(values(row).getBytes))
        found += State(row.getLong(last), Digest(bits.getLong, bits.getLong))
      }
    finally rows.close()
    found.result()
  }
}
