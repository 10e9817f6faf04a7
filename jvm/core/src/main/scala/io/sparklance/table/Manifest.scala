package io.sparklance.table

import java.time.Instant

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}
import io.sparklance.schema.{LanceSchema, SchemaCodec}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** One version of a table. Holds the message itself, so that fields unknown to us stay when the next version is made. */
final case class Manifest(message: pb.Manifest) {
  def version: Long = message.version

  /** The message. */
  def toBytes: Array[Byte] = message.toByteArray

  lazy val schema: LanceSchema = SchemaCodec.decode(message.fields, message.schemaMetadata)

  /** In the order of their rows. */
  lazy val fragments: Vector[Fragment] = message.fragments.iterator.map(Fragment(_)).toVector

  /** The branch that this is a version of; none for the main one. */
  def branch: Option[String] = message.branch

  def config: Map[String, String] = message.config
  def tableMetadata: Map[String, String] = message.tableMetadata
  def basePaths: Seq[pb.BasePath] = message.basePaths

  /** When the version was committed; 1970 if its writer did not say. */
  def timestamp: Instant = message.timestamp.fold(Instant.EPOCH) { t =>
    if (t.seconds < Instant.MIN.getEpochSecond || t.seconds >= Instant.MAX.getEpochSecond)
      throw new LanceFormatException(s"the manifest was made ${t.seconds} seconds after 1970")
    Instant.ofEpochSecond(t.seconds, t.nanos.toLong)
  }

  def hasStableRowIds: Boolean = FeatureFlags.isSet(message.readerFeatureFlags, FeatureFlags.StableRowIds)

  /** The highest fragment id that was ever given out, -1 if there was none. */
  def maxFragmentId: Long = {
    val recorded = message.maxFragmentId.fold(-1L)(Integer.toUnsignedLong)
    message.fragments.foldLeft(recorded)((max, fragment) => math.max(max, fragment.id))
  }

  /** The version that new data files are written in. */
  def fileVersion: FileVersion = FileVersion
    .parse(fileVersionName)
    .getOrElse(throw new UnsupportedLanceFeatureException(s"the file version $fileVersionName of this table"))

  /** As the manifest says it or, in old tables, as the data files have it. */
  def fileVersionName: String = message.dataFormat.map(_.version) match {
    case Some(name) => name
    case None =>
      fragments.flatMap(_.files).map(_.versionName).distinct match {
        case Vector(name) => name
        case Vector() => Manifest.versionOfOldTables
        case several =>
          throw new LanceFormatException(
            s"the manifest names no file version and its files have several: ${several.mkString(", ")}"
          )
      }
  }
}

object Manifest {

  /** What a table without files and without a recorded version is written in: such manifests precede file version 2. */
  private val versionOfOldTables = "0.1"
}
