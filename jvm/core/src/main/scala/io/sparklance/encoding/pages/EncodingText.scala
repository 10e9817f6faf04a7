package io.sparklance.encoding.pages

/** How a page is encoded, for people. */
object EncodingText {

  /** None of files of version 0.1, which do not say it.
    *
    * @param buffers how many the page has
    */
  def of(page: PageDescription, buffers: Int): Option[String] = page match {
    case PageDescription.Batch(_) => None
    case PageDescription.Array(array) => Some(ArrayText.of(array))
    case PageDescription.Blobs(array) => Some(ArrayText.of(array))
    case PageDescription.Structure(layout) => Some(LayoutText.of(layout, buffers))
  }
}
