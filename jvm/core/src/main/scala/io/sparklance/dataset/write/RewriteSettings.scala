package io.sparklance.dataset.write

/** How new files are written, whatever is in them.
  *
  * @param bufferBytes how many bytes of values a task keeps, about, before it writes them
  * @param compression of columns whose metadata ask for none, as these would name it
  * @param statistics what files say of their values
  */
final case class RewriteSettings(
    bufferBytes: Long,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones
)
