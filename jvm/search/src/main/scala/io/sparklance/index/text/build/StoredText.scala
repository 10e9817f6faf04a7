package io.sparklance.index.text.build

import scala.util.Using

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.dataset.Dataset
import io.sparklance.file.FileReader
import io.sparklance.index.build.{SegmentDetails, StoredSegment}
import io.sparklance.io.StorePath

/** An existing full-text index.
  *
  * @param form
  *   of further segments
  * @param details
  *   of further segments in the manifest; all segments of an index have the same
  */
final private[sparklance] case class StoredText(form: TextForm, details: SegmentDetails)

private[sparklance] object StoredText {
  private val FileName = "metadata.lance"

  def isText(segment: StoredSegment): Boolean = segment.kind == "Inverted"

  /** Returns None for other kinds of indices, and for texts that cannot be analyzed here.
    *
    * Segments of forms that are not written any more get details of another version, so they are replaced.
    */
  def of(dataset: Dataset, segment: StoredSegment): Option[StoredText] =
    if (!isText(segment) || segment.version > 3) None
    else {
      val stored = metadata(dataset, segment)
      val isKnown = stored.get("format_version").contains(segment.version.toString) && segment.version >= 2
      val block = if (isKnown) stored.get("posting_block_size").fold(128)(_.toInt) else 128
      val form = stored.get("params").map(TextForm(if (isKnown) segment.version else 2, block, _))
      form.filter(isSupported).map { form =>
        val own = SegmentDetails(segment.typeUrl, segment.details, segment.version)
        StoredText(form, if (isKnown && !segment.details.isEmpty) own else form.details)
      }
    }

  /** Returns the metadata of a segment's files; none if they are of the layout before partitions. */
  def metadata(dataset: Dataset, segment: StoredSegment): Map[String, String] = {
    val path = this.path(dataset, segment)
    if (dataset.store.exists(path))
      Using.resource(FileReader.open(dataset.store, path, segment.sizeOf(FileName)))(_.schema.metadata)
    else Map.empty
  }

  /** Returns the path of the file that has the metadata. */
  def path(dataset: Dataset, segment: StoredSegment): String =
    StorePath.join(segment.directory(dataset), FileName)

  private def isSupported(form: TextForm): Boolean =
    try TextSupport.refusal(form).isEmpty
    catch { case _: UnsupportedLanceFeatureException => false }
}
