package io.sparklance.spark.write

import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.streaming.StreamingWrite
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  RequiresDistributionAndOrdering,
  SupportsOverwriteV2,
  SupportsTruncate,
  Write,
  WriteBuilder
}
import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{RowLayout, WriteLimits}
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.WriteId

/** What tasks have to know in order to write data files.
  *
  * @param ordinals
  *   for each top-level field of `schema`, where it stands in Spark's rows
  */
final private[sparklance] case class WriteSpec(
    location: TableLocation,
    schema: LanceSchema,
    version: FileVersion,
    limits: WriteLimits,
    ordinals: Vector[Int],
    write: WriteId
) {

  /** Of a stream: what an epoch has written is told from the files of others by its name. */
  def ofEpoch(epoch: Long): WriteSpec = copy(write = write.ofPart(epoch))
}

private[sparklance] object WriteSpec {

  /** Finds each field by name among the columns of the rows, which may have more (metadata columns, in some
    * plans).
    */
  def ordinals(schema: LanceSchema, rows: StructType): Vector[Int] = {
    val places = rows.fieldNames.zipWithIndex.toMap
    schema.fields.map { field =>
      places.getOrElse(
        field.name,
        throw new LanceUsageException(
          s"The rows to be written have no column '${field.name}' (they have ${rows.fieldNames.mkString(", ")}). " +
            "Add it, or name it as the table does."
        )
      )
    }
  }
}

/** Builds a write to a table that is there, as Spark says what becomes of its rows. */
final private[spark] class LanceWriteBuilder(table: WritePlanner) extends WriteBuilder
    with SupportsOverwriteV2 {
  private var replaced = Option.empty[Predicate]
  private var condition = ""

  override def truncate(): WriteBuilder = { replaced = Some(Predicate.Always); this }

  override def canOverwrite(conditions: Array[SparkPredicate]): Boolean = translating {
    table.predicate(conditions).isDefined
  }

  override def overwrite(conditions: Array[SparkPredicate]): WriteBuilder = translating {
    replaced = table.predicate(conditions)
    condition = conditions.mkString(" AND ")
    this
  }

  override def build(): Write = translating {
    replaced match {
      case None => table.adding
      case Some(Predicate.Always) => table.replacing
      case Some(predicate) => table.replacingWhere(predicate, condition)
    }
  }
}

/** Builds a write that adds columns, too. */
final private[spark] class MergeBuilder(table: WritePlanner, schema: LanceSchema) extends WriteBuilder {
  override def build(): Write = translating {
    table.merging(schema)
  }
}

/** Builds the only write that a table takes which is being made: there is nothing to keep. */
final private[spark] class NewTableWriteBuilder(write: LancePlannedWrite) extends WriteBuilder
    with SupportsTruncate {
  override def truncate(): WriteBuilder = this
  override def build(): Write = translating {
    write
  }
}

/** A write that is decided: which files are written, and how they become visible.
  *
  * @param stream
  *   how they do if the rows are those of a stream; none if such a write cannot be one
  */
final private[sparklance] class LancePlannedWrite private[spark] (
    spec: WriteSpec,
    publication: WriteCommit,
    layout: RowLayout,
    stream: Option[StreamTarget] = None
) extends Write
    with RequiresDistributionAndOrdering {
  private lazy val batch = new LanceBatchWrite(spec, publication)

  override def description(): String = LanceBatchWrite.title(spec, publication)
  override def toString: String = s"LanceWrite(${spec.location})"
  override def toBatch: BatchWrite = batch

  override def toStreaming: StreamingWrite = translating {
    stream.fold(super.toStreaming) { target =>
      target.check()
      new LanceStreamingWrite(spec, target.epoch)
    }
  }

  override def requiredDistribution(): Distribution = layout.distribution
  override def requiredOrdering(): Array[SortOrder] = layout.ordering
  override def advisoryPartitionSizeInBytes(): Long = layout.taskBytes.getOrElse(0)

  /** So that Spark may divide large partitions and put small ones together. */
  override def distributionStrictlyRequired(): Boolean = false

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}
