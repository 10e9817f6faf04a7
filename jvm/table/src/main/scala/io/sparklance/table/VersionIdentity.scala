package io.sparklance.table

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import com.google.protobuf.timestamp.Timestamp

/** Tells a version from the version of the same number of another table, such as one that was created at the
  * place of a dropped one. The name of a transaction file contains a random uuid; manifests without such a
  * name, as old writers left them, are identified by their time and data files.
  */
final private[sparklance] case class VersionIdentity(text: String)

private[sparklance] object VersionIdentity {
  def of(manifest: Manifest): VersionIdentity = {
    val message = manifest.message
    ofTransaction(message.version, message.transactionFile, message.timestamp).getOrElse {
      VersionIdentity(s"${message.version} ${time(message.timestamp)} ${filesOf(manifest)}")
    }
  }

  /** Returns None if the identity depends on the data files. */
  private[table] def ofTransaction(
      version: Long,
      transactionFile: String,
      timestamp: Option[Timestamp]
  ): Option[VersionIdentity] =
    Option.when(transactionFile.nonEmpty)(VersionIdentity(s"$version ${time(timestamp)} $transactionFile"))

  private def time(timestamp: Option[Timestamp]): String =
    timestamp.fold("-")(t => s"${t.seconds}.${t.nanos}")

  /** Returns a digest of the data files. */
  def filesOf(manifest: Manifest): String = {
    val sha = MessageDigest.getInstance("SHA-256")
    for (fragment <- manifest.message.fragments; file <- fragment.files)
      sha.update(s"${fragment.id} ${file.path}\n".getBytes(UTF_8))
    HexFormat.of.formatHex(sha.digest(), 0, 16)
  }
}
