package io.sparklance.index.build

import scala.util.Using

import io.sparklance.dataset.Dataset
import io.sparklance.file.FileReader
import io.sparklance.index.IndexKind
import io.sparklance.io.StorePath

/** The settings with which an existing segment was built, by the names that users give them. */
private[sparklance] object StoredSettings {

  /** Returns the name of a segment's kind with its settings; None for kinds that cannot be built. */
  def of(dataset: Dataset, segment: StoredSegment): Option[(String, Map[String, String])] = {
    def stored(file: String, names: (String, String)*) = {
      val path = StorePath.join(segment.directory(dataset), file)
      val metadata =
        Using.resource(FileReader.open(dataset.store, path, segment.sizeOf(file)))(_.schema.metadata)
      names.flatMap { case (key, name) => metadata.get(key).map(name -> _) }.toMap
    }
    segment.known.map {
      case kind @ IndexKind.BTree => kind.name -> stored("page_lookup.lance", "batch_size" -> "zone_size")
      case kind @ IndexKind.ZoneMap =>
        kind.name -> stored("zonemap.lance", "rows_per_zone" -> "rows_per_zone")
      case kind @ IndexKind.BloomFilter =>
        kind.name -> stored(
          "bloomfilter.lance",
          "bloomfilter_item" -> "number_of_items",
          "bloomfilter_probability" -> "probability"
        )
      case kind @ (IndexKind.Bitmap | IndexKind.LabelList | IndexKind.NGram) => kind.name -> Map.empty
    }
  }
}
