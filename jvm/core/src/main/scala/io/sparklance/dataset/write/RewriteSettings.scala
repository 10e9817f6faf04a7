package io.sparklance.dataset.write

/** Settings for new files of any content.
  *
  * @param bufferBytes approximate bytes of values that a task buffers
  * @param compression compression of columns whose metadata ask for none
  * @param statistics kind of statistics in the files
  */
final case class RewriteSettings(
    bufferBytes: Long,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones
)
