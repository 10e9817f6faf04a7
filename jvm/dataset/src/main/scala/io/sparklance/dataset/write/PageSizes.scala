package io.sparklance.dataset.write

/** Sizes at which a write encodes pages.
  *
  * @param buffered
  *   bytes of a column in memory
  * @param joined
  *   size of pages, if they are put together from such buffers on local disk
  */
final private[sparklance] case class PageSizes(buffered: Long, joined: Option[Long])
