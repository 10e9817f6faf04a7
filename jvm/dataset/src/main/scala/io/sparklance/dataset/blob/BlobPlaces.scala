package io.sparklance.dataset.blob

import java.net.{URI, URISyntaxException}

import io.sparklance.io.StorePath
import io.sparklance.table.DataFileName
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A range of a file.
  *
  * @param size
  *   None for everything from `position` on
  */
final private[dataset] case class BlobPlace(path: String, position: Long, size: Option[Long])

/** Descriptor of a blob outside of the table.
  *
  * @param base
  *   id of the table's base to which `uri` is relative, or 0
  */
final private[sparklance] case class ExternalBlob(position: Long, size: Long, base: Int, uri: String)

/** Resolves descriptors of blobs of version 2, by their kind:
  *
  * {{{
  * 0  inline     position and size in the data file
  * 1  packed     position and size in the file blob_id beside it
  * 2  dedicated  the first `size` bytes of such a file
  * 3  external   position and size in blob_uri, an absolute URI or, if blob_id > 0, a path below the table's base of that
  *               number; of size 0 all of it
  * 4, 5 managed  only in tables that need a feature flag which is not supported
  *
  * data/<name>.lance     a data file, and the files beside it:
  * data/<name>/<the 32 bits of blob_id, lowest first>.blob
  * }}}
  *
  * @param bases
  *   the table's bases by id
  */
final private[dataset] class BlobPlaces(dataFile: String, bases: Map[Int, String]) {

  def of(kind: Int, position: Long, size: Long, id: Int, uri: => String): BlobPlace = kind match {
    case 0 => BlobPlace(dataFile, position, Some(size))
    case 1 => BlobPlace(beside(id), position, Some(size))
    case 2 => BlobPlace(beside(id), 0, Some(size))
    case 3 =>
      val path = if (id == 0) BlobPlaces.absolute(uri) else StorePath.join(base(id), BlobPlaces.relative(uri))
      BlobPlace(path, position, Option(size).filter(_ != 0))
    case 4 | 5 => throw new UnsupportedLanceFeatureException("managed blobs")
    case other => throw new LanceFormatException(s"a blob of kind $other")
  }

  private def beside(id: Int): String = s"${DataFileName.stem(dataFile)}/${BlobPlaces.fileName(id)}"

  private def base(id: Int): String = bases.getOrElse(
    id,
    throw new LanceFormatException(
      s"a blob refers to base ${Integer.toUnsignedString(id)}, which the manifest lacks"
    )
  )
}

private[dataset] object BlobPlaces {
  final val External: Byte = 3

  /** Returns the name of a file beside a data file. */
  def fileName(id: Int): String = {
    val bits = Integer.toBinaryString(Integer.reverse(id))
    s"${"0" * (32 - bits.length)}$bits.blob"
  }

  /** Decodes percent escapes of a URI; paths of stores have none. */
  private def absolute(uri: String): String = {
    val parsed =
      try new URI(uri)
      catch { case _: URISyntaxException => malformed(uri) }
    if (parsed.getScheme == null || parsed.getPath == null || parsed.getPath.isEmpty) malformed(uri)
    s"${parsed.getScheme}://${Option(parsed.getRawAuthority).getOrElse("")}${parsed.getPath}"
  }

  /** Refuses a path that leaves its base. */
  private def relative(path: String): String = {
    val parts = path.split("/", -1)
    if (path.contains('\\') || path.contains("://") || parts.exists(p => p.isEmpty || p == "." || p == ".."))
      throw new LanceFormatException(s"the blob path \"$path\" leads out of its base")
    path
  }

  private def malformed(uri: String): Nothing =
    throw new LanceFormatException(s"the blob URI \"$uri\" is not absolute")
}
