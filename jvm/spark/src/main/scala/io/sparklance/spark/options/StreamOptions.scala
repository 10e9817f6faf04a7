package io.sparklance.spark.options

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException

/** Options of a streaming read.
  *
  * @param start
  *   None for a snapshot of the table first
  * @param ignoresDeletes
  *   whether commits that only delete rows are passed over
  * @param skipsChanges
  *   whether commits that change, delete or replace rows are passed over
  * @param allowsColumns
  *   whether commits may add columns while the stream runs
  * @param failsOnLoss
  *   whether a stream fails if versions that it has not read were cleaned up
  * @param names
  *   names of the options of streams that the read gives
  */
final private[sparklance] case class StreamOptions(
    start: Option[StartingPoint],
    limits: StreamLimits,
    ignoresDeletes: Boolean,
    skipsChanges: Boolean,
    allowsColumns: Boolean,
    failsOnLoss: Boolean,
    names: Vector[String] = Vector.empty
) {

  /** Refuses options of streams for a batch read. */
  def refuseInBatch(): Unit = names.headOption.foreach { name =>
    throw new LanceUsageException(
      s"Option '$name' is for streams, but this is a batch read. Leave it out, or use spark.readStream."
    )
  }
}

/** Limits of each batch of a stream.
  *
  * @param minRows
  *   rows to wait for
  * @param maxDelayMillis
  *   the longest time to wait for these
  */
final private[sparklance] case class StreamLimits(
    maxFiles: Long,
    maxBytes: Option[Long],
    maxRows: Option[Long],
    minRows: Option[Long],
    maxDelayMillis: Long
)

/** Options of streaming reads. */
private[sparklance] object StreamOptions {
  case object MaxFilesPerTrigger
      extends ReadOption[Long]("maxFilesPerTrigger", OptionText.positive(_, "a number of fragments"))
      with Defaulted[Long] {
    val default = 1000L
  }
  case object MaxBytesPerTrigger extends ReadOption[Long]("maxBytesPerTrigger", OptionText.size)
  case object MaxRowsPerTrigger
      extends ReadOption[Long]("maxRowsPerTrigger", OptionText.positive(_, "a number of rows"))
  case object MinRowsPerTrigger
      extends ReadOption[Long]("minRowsPerTrigger", OptionText.positive(_, "a number of rows"))
  case object MaxTriggerDelay extends ReadOption[Long]("maxTriggerDelay", OptionText.millis)
      with Defaulted[Long] {
    val default: Long = 15 * 60 * 1000L
    override protected def text(value: Long): String = s"${value / 60000}m"
  }
  case object IgnoreDeletes extends ReadOption[Boolean]("ignoreDeletes", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object SkipChangeCommits extends ReadOption[Boolean]("skipChangeCommits", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object AllowAddedColumns extends ReadOption[Boolean]("allowAddedColumns", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object FailOnDataLoss extends ReadOption[Boolean]("failOnDataLoss", OptionText.truth)
      with Defaulted[Boolean] {
    val default = true
  }

  val all: Vector[ReadOption[_]] = Vector(
    MaxFilesPerTrigger,
    MaxBytesPerTrigger,
    MaxRowsPerTrigger,
    MinRowsPerTrigger,
    MaxTriggerDelay,
    IgnoreDeletes,
    SkipChangeCommits,
    AllowAddedColumns,
    FailOnDataLoss
  )

  val default: StreamOptions = StreamOptions(
    None,
    StreamLimits(MaxFilesPerTrigger.default, None, None, None, MaxTriggerDelay.default),
    IgnoreDeletes.default,
    SkipChangeCommits.default,
    AllowAddedColumns.default,
    FailOnDataLoss.default
  )

  /** @param settings those of the read, without the session's defaults */
  def of(settings: CaseInsensitiveStringMap): StreamOptions = {
    val options = KnownOptions.overSession(settings)
    StreamOptions(
      RangeOptions.start(settings),
      StreamLimits(
        MaxFilesPerTrigger.of(options),
        MaxBytesPerTrigger.in(options),
        MaxRowsPerTrigger.in(options),
        MinRowsPerTrigger.in(options),
        MaxTriggerDelay.of(options)
      ),
      IgnoreDeletes.of(options),
      SkipChangeCommits.of(options),
      AllowAddedColumns.of(options),
      FailOnDataLoss.of(options),
      all.map(_.name).filter(settings.containsKey)
    )
  }
}
