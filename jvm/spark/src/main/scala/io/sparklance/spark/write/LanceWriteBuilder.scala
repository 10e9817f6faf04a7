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
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

import io.sparklance.LanceUsageException
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.ShownCondition
import io.sparklance.spark.options.{RowLayout, SinkOptions}

/** Builds a write to an existing table: an append, or an overwrite of all or some rows. */
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
    condition = ShownCondition.of(conditions)
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

/** Builds the merge of a stream's rows by key. Batch writes are refused later. */
final private[spark] class UpsertWriteBuilder(table: WritePlanner, keys: Vector[String]) extends WriteBuilder
    with SupportsStreamingUpdateAsAppend
    with SupportsTruncate {
  override def truncate(): WriteBuilder = throw SparkErrors.translated(new LanceUsageException(
    "Option 'mergeKeys' merges rows into existing ones, but a write in mode complete or overwrite replaces all of them. Leave the option out, " +
      "or use mode update or append."
  ))
  override def build(): Write = translating {
    table.merging(keys)
  }
}

/** Builds an append that also adds columns. */
final private[spark] class MergeBuilder(table: WritePlanner, schema: LanceSchema) extends WriteBuilder {
  override def build(): Write = translating {
    table.merging(schema)
  }
}

/** Builds the write to a new table. There are no rows to overwrite. */
final private[spark] class NewTableWriteBuilder(write: LancePlannedWrite) extends WriteBuilder
    with SupportsTruncate {
  override def truncate(): WriteBuilder = this
  override def build(): Write = translating {
    write
  }
}

/** A planned write: the files to write, and how they are committed.
  *
  * @param sink
  *   options of streaming writes, which are refused for others
  * @param stream
  *   target of a streaming write; None if the write cannot be one
  */
final private[sparklance] class LancePlannedWrite private[spark] (
    spec: WriteSpec,
    publication: WriteCommit,
    layout: RowLayout,
    sink: SinkOptions,
    stream: Option[StreamTarget] = None
) extends Write
    with RequiresDistributionAndOrdering {
  private lazy val batch = new LanceBatchWrite(spec, publication)

  override def description(): String = LanceBatchWrite.title(spec, publication)
  override def toString: String = s"LanceWrite(${spec.location})"
  override def toBatch: BatchWrite = translating {
    sink.refuseInBatch()
    batch
  }

  override def toStreaming: StreamingWrite = translating {
    stream.fold(super.toStreaming) { target =>
      target.check()
      new LanceStreamingWrite(spec, target.epoch)
    }
  }

  override def requiredDistribution(): Distribution = layout.distribution
  override def requiredOrdering(): Array[SortOrder] = layout.ordering
  override def advisoryPartitionSizeInBytes(): Long = layout.taskBytes.getOrElse(0)

  /** Lets Spark divide large partitions and join small ones. */
  override def distributionStrictlyRequired(): Boolean = false

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}
