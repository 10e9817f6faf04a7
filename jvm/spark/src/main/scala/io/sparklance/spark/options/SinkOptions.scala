package io.sparklance.spark.options

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException

/** Options of a streaming write.
  *
  * @param mergeKeys
  *   columns that identify rows: a row of the stream replaces that with the same key
  * @param compactEvery
  *   number of epochs after which the table is compacted
  */
final private[sparklance] case class SinkOptions(
    mergeKeys: Option[Vector[String]] = None,
    compactEvery: Option[Long] = None
) {

  /** Refuses these options for a batch write. */
  def refuseInBatch(): Unit = {
    val cures =
      mergeKeys.map(_ => SinkOptions.MergeKeys.name -> "Use MERGE, or merge_insert in Python.") ++
        compactEvery.map(_ => SinkOptions.CompactEvery.name -> "Use OPTIMIZE after the write.")
    cures.headOption.foreach { case (name, cure) =>
      throw new LanceUsageException(s"Option '$name' is for streams, but this is a batch write. $cure")
    }
  }
}

/** Options of streaming writes. They belong to one query, so the session's defaults do not count. */
private[sparklance] object SinkOptions {
  case object MergeKeys extends WriteOption[Vector[String]]("mergeKeys", OptionText.names)
  case object CompactEvery
      extends WriteOption[Long]("compactEvery", OptionText.positive(_, "a number of epochs"))

  val all: Vector[WriteOption[_]] = Vector(MergeKeys, CompactEvery)

  def of(settings: CaseInsensitiveStringMap): SinkOptions =
    SinkOptions(MergeKeys.in(settings), CompactEvery.in(settings))
}
