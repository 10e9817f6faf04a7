package io.sparklance.spark.streams

import org.apache.spark.sql.connector.read.streaming.{
  CompositeReadLimit,
  ReadLimit,
  ReadMaxBytes,
  ReadMaxFiles,
  ReadMaxRows,
  ReadMinRows
}

import io.sparklance.spark.options.StreamLimits

/** Limits of one batch. */
final private[streams] case class Admission(
    maxFiles: Long,
    maxBytes: Long,
    maxRows: Long,
    minRows: Long,
    maxDelayMillis: Long
) {

  /** Whether a batch that has `sum` takes another unit. The first unit is always taken. */
  def admits(sum: StreamUnit, next: StreamUnit): Boolean = sum.files == 0 || {
    val both = sum + next
    both.files <= maxFiles && both.bytes <= maxBytes && both.rows <= maxRows
  }
}

private[streams] object Admission {
  private val unlimited = Admission(Long.MaxValue, Long.MaxValue, Long.MaxValue, 0, 0)

  /** Returns the limits of a source by its options. */
  def limits(of: StreamLimits): ReadLimit = {
    val all = Seq(
      Some(ReadLimit.maxFiles(math.min(of.maxFiles, Int.MaxValue.toLong).toInt)),
      of.maxBytes.map(ReadLimit.maxBytes),
      of.maxRows.map(ReadLimit.maxRows),
      of.minRows.map(ReadLimit.minRows(_, of.maxDelayMillis))
    ).flatten
    ReadLimit.compositeLimit(all.toArray)
  }

  /** Returns the limits that Spark asks for. */
  def of(limit: ReadLimit): Admission = parts(limit).foldLeft(unlimited) {
    case (all, files: ReadMaxFiles) => all.copy(maxFiles = math.min(all.maxFiles, files.maxFiles.toLong))
    case (all, bytes: ReadMaxBytes) => all.copy(maxBytes = math.min(all.maxBytes, bytes.maxBytes))
    case (all, rows: ReadMaxRows) => all.copy(maxRows = math.min(all.maxRows, rows.maxRows))
    case (all, rows: ReadMinRows) => all.copy(minRows = rows.minRows, maxDelayMillis = rows.maxTriggerDelayMs)
    case (all, _) => all
  }

  private def parts(limit: ReadLimit): Seq[ReadLimit] = limit match {
    case composite: CompositeReadLimit => composite.getReadLimits.toSeq.flatMap(parts)
    case one => Seq(one)
  }
}
