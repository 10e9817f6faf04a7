package io.sparklance.dataset.erasure

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.blob.BlobPlaces

/** Finds blobs outside of a table. */
private[sparklance] object ExternalBlobs {

  /** The kind of external blobs in their descriptors. */
  val Kind: String = BlobPlaces.External.toString

  /** Returns the path of an external blob.
    *
    * @param base
    *   number of the base to which the URI is relative, or 0
    */
  def path(version: Dataset, base: Int, uri: String): String = {
    val bases = version.manifest.basePaths.map(each => each.id -> each.path).toMap
    new BlobPlaces("", bases).of(BlobPlaces.External.toInt, 0, 0, base, uri).path
  }
}
