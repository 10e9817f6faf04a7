package io.sparklance.index

import java.util.Locale

import io.sparklance.proto.{table => pb}

/** A kind of scalar index.
  *
  * @param name
  *   its name in SQL and Python
  * @param typeUrl
  *   type URL of its details message in the manifest
  * @param newestVersion
  *   newest known version of its layout; segments of later versions are ignored
  */
sealed abstract private[sparklance] class IndexKind(
    val name: String,
    val typeUrl: String,
    val newestVersion: Int
) extends Product with Serializable {
  final override def toString: String = name
}

private[sparklance] object IndexKind {

  /** All values with their rows, sorted by value, in pages. */
  case object BTree extends IndexKind("BTREE", "/lance.table.BTreeIndexDetails", 1)

  /** For each distinct value, the set of its rows. */
  case object Bitmap extends IndexKind("BITMAP", "/lance.table.BitmapIndexDetails", 0)

  /** For each distinct item of lists, the set of the rows whose list has it. */
  case object LabelList extends IndexKind("LABEL_LIST", "/lance.table.LabelListIndexDetails", 1)

  /** Least and greatest value of each zone of rows. */
  case object ZoneMap extends IndexKind("ZONEMAP", "/lance.table.ZoneMapIndexDetails", 0)

  /** A Bloom filter of the values of each zone of rows. */
  case object BloomFilter extends IndexKind("BLOOMFILTER", "/lance.index.pb.BloomFilterIndexDetails", 0)

  /** For each sequence of three characters, the set of the rows whose text has it. */
  case object NGram extends IndexKind("NGRAM", "/lance.table.NGramIndexDetails", 0)

  val all: Vector[IndexKind] = Vector(BTree, Bitmap, LabelList, ZoneMap, BloomFilter, NGram)

  /** Returns the kind of a segment; None for kinds that are not scalar or not known. Packages in type URLs
    * have changed between releases, so only the message's own name counts.
    */
  def of(index: pb.IndexMetadata): Option[IndexKind] =
    index.indexDetails.flatMap(details => all.find(kind => message(kind.typeUrl) == message(details.typeUrl)))

  private def message(typeUrl: String): String =
    typeUrl.drop(math.max(typeUrl.lastIndexOf('.'), typeUrl.lastIndexOf('/')) + 1).toLowerCase(Locale.ROOT)
}
