package io.sparklance.encoding.pages

/** Descriptions of encodings for people. */
private[sparklance] object EncodingText {

  /** Describes a page's encoding; None for files of version 0.1, which do not record it.
    *
    * @param buffers
    *   number of the page's buffers
    */
  def of(page: PageDescription, buffers: Int): Option[String] = page match {
    case PageDescription.Batch(_) => None
    case PageDescription.Array(array) => Some(ArrayText.of(array))
    case PageDescription.Blobs(array) => Some(ArrayText.of(array))
    case PageDescription.Structure(layout) => Some(LayoutText.of(layout, buffers))
  }
}
