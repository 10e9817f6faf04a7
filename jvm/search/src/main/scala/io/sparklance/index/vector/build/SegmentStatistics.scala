package io.sparklance.index.vector.build

import scala.util.Using

import io.sparklance.ProtoBytes
import io.sparklance.dataset.Dataset
import io.sparklance.file.FileReader
import io.sparklance.index.build.{IndexEntries, StoredSegment}
import io.sparklance.index.vector.QuantizerJson
import io.sparklance.io.StorePath
import io.sparklance.proto.index.IVF

/** The partitions of a segment of a vector index.
  *
  * @param kind
  *   name of its type
  * @param sizes
  *   rows of each partition
  * @param loss
  *   sum of the distances of all vectors from their centroids, if recorded
  */
final private[sparklance] case class SegmentStatistics(
    uuid: String,
    kind: String,
    metric: String,
    sizes: Vector[Int],
    loss: Option[Double]
)

private[sparklance] object SegmentStatistics {

  /** Describes the segments of an index that have files. */
  def of(dataset: Dataset, index: String): Vector[SegmentStatistics] =
    IndexEntries.of(dataset).filter(segment =>
      segment.index == index && StoredVectorIndex.isVector(segment) && segment.fragments.exists(_.last >= 0)
    ).map(of(dataset, _))

  private def of(dataset: Dataset, segment: StoredSegment): SegmentStatistics = {
    val directory = segment.directory(dataset)
    def open(file: String) =
      FileReader.open(dataset.store, StorePath.join(directory, file), segment.sizeOf(file))
    val (kind, metric, loss) = Using.resource(open("index.idx")) { file =>
      val (kind, metric) = QuantizerJson.kind(file.schema.metadata.getOrElse("lance:index", ""))
      (kind, metric, ivf(file).loss)
    }
    val sizes = Using.resource(open("auxiliary.idx"))(ivf(_).lengths.toVector)
    SegmentStatistics(directory.substring(directory.lastIndexOf('/') + 1), kind, metric, sizes, loss)
  }

  private def ivf(file: FileReader): IVF = {
    val number = file.schema.metadata.get("lance:ivf").flatMap(_.toIntOption).getOrElse(1)
    ProtoBytes.parse(IVF, file.globalBuffer(number, MaxBytes).toArray, "the partitions of a vector index")
  }

  final private val MaxBytes = 512L << 20
}
