package io.sparklance.table.index

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.{table => pb}

/** Indices whose manifest was written before release 0.8.15 of the reference: their bitmaps of covered
  * fragments may lack some that the index has rows of.
  */
private[sparklance] object HistoricCoverage {

  /** The section without such bitmaps. The reference computes coverage that is unknown from the index. */
  def removed(manifest: pb.Manifest, section: Option[ByteString]): Option[ByteString] =
    if (!isWrong(manifest.writerVersion)) section
    else
      section.map { bytes =>
        val read = ProtoBytes.parse(pb.IndexSection, bytes.toByteArray, "the index section")
        read.copy(indices = read.indices.map { index =>
          if (IndexKinds.isSystem(index.name)) index else index.copy(fragmentBitmap = ByteString.EMPTY)
        }).toByteString
      }

  private def isWrong(writer: Option[pb.Manifest.WriterVersion]): Boolean =
    writer.forall(w => w.library == "lance" && release(w).forall(precedes(_, Vector(0, 8, 15))))

  /** The three numbers of a release; a preliminary one precedes the release of its numbers. */
  private def release(writer: pb.Manifest.WriterVersion): Option[Vector[Int]] = {
    val preliminary = writer.prerelease.isDefined || writer.version.contains('-')
    val numbers = writer.version.takeWhile(c => c != '-' && c != '+').split('.').toVector.map(_.toIntOption)
    Option.when(numbers.size == 3 && numbers.forall(_.isDefined)) {
      if (preliminary) numbers.flatten :+ -1 else numbers.flatten
    }
  }

  private def precedes(release: Vector[Int], other: Vector[Int]): Boolean = {
    val padded = release.padTo(4, 0).zip(other.padTo(4, 0))
    padded.find { case (a, b) => a != b }.exists { case (a, b) => a < b }
  }
}
