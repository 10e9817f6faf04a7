package io.sparklance.index.text

import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper

import io.sparklance.index.SegmentFiles
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.index.RoaringSet
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** A segment's files: `metadata.lance` lists the partitions and has the parameters. */
final private[text] case class TextIndex(
    segment: TextSegment,
    parameters: TextParameters,
    partitions: Vector[TextPartition],
    deletedFragments: Option[RoaringSet]
)

/** Contents of `metadata.lance`.
  *
  * @param partitions
  *   their numbers
  * @param isFst
  *   whether their tokens are in a transducer
  */
final private case class TextHead(
    parameters: TextParameters,
    partitions: Vector[Long],
    isFst: Boolean,
    deletedFragments: Option[RoaringSet]
)

private[text] object TextIndex {
  private val mapper = new ObjectMapper
  private val FileName = "metadata.lance"

  /** Bytes of a head in memory, about: most of them are stop words. */
  final private val HeadWeight = 32L << 10

  def open(store: ObjectStore, segment: TextSegment): TextIndex = {
    if (segment.files.sizes.nonEmpty && !segment.files.sizes.contains(FileName))
      throw new UnsupportedLanceFeatureException("a text index of the layout before partitions")
    val head = TextPartition.cached(PartKey(segment.files.directory, FileName))((_: TextHead) => HeadWeight) {
      LanceFormatException.locating(Location(file = Some(StorePath.join(segment.files.directory, FileName)))) {
        Using.resource(TextFile.open(store, segment.files, FileName))(read)
      }
    }
    val numbers = if (segment.isOutdated) Vector.empty else head.partitions
    val partitions = numbers.map(new TextPartition(store, segment.files, _, head.isFst))
    TextIndex(segment, head.parameters, partitions, head.deletedFragments)
  }

  private def read(file: TextFile): TextHead = {
    val isFst = file.metadata.getOrElse("token_set_format", "arrow") match {
      case "fst" => true
      case "arrow" => false
      case other => throw new LanceFormatException(s"tokens in the form '$other'")
    }
    val deleted = Option.when(file.rows > 0 && file.has("deleted_fragments")) {
      val bytes = TextFile.slice(
        TextFile.byteStrings(file.read(Vector("deleted_fragments"), 0, 1).head.values),
        0
      )
      RoaringSet.parse(com.google.protobuf.ByteString.copyFrom(bytes.toArray))
    }
    TextHead(TextParameters.parse(value(file, "params")), numbers(value(file, "partitions")), isFst, deleted)
  }

  /** Returns the numbers of documents and tokens of each partition.
    *
    * @param partitions
    *   their numbers, as in the metadata
    */
  def sizes(store: ObjectStore, files: SegmentFiles, partitions: String): Vector[(Long, Long)] =
    numbers(partitions).map(number => new TextPartition(store, files, number, isFst = true).sizes)

  private def numbers(json: String): Vector[Long] = {
    val root = scala.util.Try(mapper.readTree(json)).filter(_.isArray).getOrElse(
      throw new LanceFormatException(s"the partitions of a text index are not an array: $json")
    )
    Vector.tabulate(root.size)(root.get(_).bigIntegerValue.longValue)
  }

  private def value(file: TextFile, key: String): String = file.metadata.getOrElse(
    key,
    throw new LanceFormatException(s"the metadata of a text index has no '$key'")
  )
}
