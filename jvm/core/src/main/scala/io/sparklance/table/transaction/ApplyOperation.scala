package io.sparklance.table.transaction

import java.time.Instant

import com.google.protobuf.ByteString
import com.google.protobuf.timestamp.Timestamp

import io.sparklance.proto.{table => pb}
import io.sparklance.table.{FeatureFlags, Manifest}
import io.sparklance.{SoftwareVersion, UnsupportedLanceFeatureException}

/** What a next version is made of: the manifest and the index section, which goes from version to version unread. */
final case class TableState(manifest: Manifest, indexSection: Option[ByteString])

object TableState {

  /** The state before version 1. */
  val Empty: TableState = TableState(Manifest(pb.Manifest()), None)
}

/** Makes the next version's manifest from the latest one and an operation.
  *
  * Everything that the operation does not speak of stays as it is, unknown fields included; what belongs to one version
  * only (its number, time, tag, writer, flags) is set anew.
  */
object ApplyOperation {

  /** @param transactionFile name of the file with this transaction; empty if there is none */
  def apply(
      latest: TableState,
      transaction: Transaction,
      transactionFile: String,
      now: Instant
  ): TableState = {
    val changed = transaction.operation match {
      case append: Operation.Append => operations.Append(latest, append)
      case overwrite: Operation.Overwrite => operations.Overwrite(latest, overwrite)
      case Operation.Other(name) => throw new UnsupportedLanceFeatureException(s"committing $name")
    }
    val message = changed.manifest.message
    val next = message.copy(
      fragments = message.fragments.sortBy(_.id),
      version = latest.manifest.version + 1,
      versionAuxData = 0,
      tag = transaction.tag,
      writerVersion = Some(writer),
      timestamp = Some(Timestamp(now.getEpochSecond, now.getNano)),
      transactionFile = transactionFile,
      maxFragmentId = highest(changed.manifest),
      // The codec sets these when it lays out the file.
      indexSection = None,
      transactionSection = None,
      transactionSectionDeprecated = None
    )
    changed.copy(manifest = Manifest(FeatureFlags.recomputed(next)))
  }

  private def highest(manifest: Manifest): Option[Int] =
    Option(manifest.maxFragmentId).filter(_ >= 0).map(_.toInt)

  /** Tells other software that we are not the reference, whose old faults it works around. */
  private val writer = pb.Manifest.WriterVersion(library = "sparklance", version = SoftwareVersion.current)
}
