package io.sparklance.table

import java.time.Instant

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}
import io.sparklance.schema.{LanceSchema, SchemaCodec}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** One version of a table. Holds the message itself, so that the next version keeps unknown fields. */
final private[sparklance] case class Manifest(message: pb.Manifest) {
  def version: Long = message.version

  /** Returns the encoded message. */
  def toBytes: Array[Byte] = message.toByteArray

  lazy val schema: LanceSchema = SchemaCodec.decode(message.fields, message.schemaMetadata)

  /** Fragments in the order of their rows. */
  lazy val fragments: Vector[Fragment] = message.fragments.iterator.map(Fragment(_)).toVector

  /** The branch of this version; None for the main branch. */
  def branch: Option[String] = message.branch

  /** The software that wrote the manifest, with its version. */
  def writer: Option[String] = message.writerVersion.map(w => s"${w.library} ${w.version}".trim)

  def config: Map[String, String] = message.config
  def tableMetadata: Map[String, String] = message.tableMetadata
  def basePaths: Seq[pb.BasePath] = message.basePaths

  /** Time of the commit; 1970 if not recorded. */
  def timestamp: Instant = message.timestamp.fold(Instant.EPOCH) { t =>
    if (t.seconds < Instant.MIN.getEpochSecond || t.seconds >= Instant.MAX.getEpochSecond)
      throw new LanceFormatException(s"the manifest was made ${t.seconds} seconds after 1970")
    Instant.ofEpochSecond(t.seconds, t.nanos.toLong)
  }

  def hasStableRowIds: Boolean = FeatureFlags.isSet(message.readerFeatureFlags, FeatureFlags.StableRowIds)

  /** The highest fragment id that was ever assigned; -1 if there was none. */
  def maxFragmentId: Long = {
    val recorded = message.maxFragmentId.fold(-1L)(Integer.toUnsignedLong)
    message.fragments.foldLeft(recorded)((max, fragment) => math.max(max, fragment.id))
  }

  /** File version of new data files. */
  def fileVersion: FileVersion = FileVersion
    .parse(fileVersionName)
    .getOrElse(throw new UnsupportedLanceFeatureException(s"the file version $fileVersionName of this table"))

  /** File version of the manifest or, in old tables, of the data files. Release 0.16 said 0.1 of tables whose
    * files are all of version 2.
    */
  def fileVersionName: String = message.dataFormat.map(_.version) match {
    case Some(name) if FileVersion.exact(name) != Manifest.oldest => name
    case said =>
      fragments.flatMap(_.files).map(_.versionName).distinct match {
        case Vector(name) => name
        case several if several.isEmpty || said.isDefined && several.contains(Manifest.oldest) =>
          if (said.isEmpty && FeatureFlags.isSet(message.writerFeatureFlags, FeatureFlags.Format2))
            FileVersion.default.name
          else Manifest.oldest
        case several =>
          throw new LanceFormatException(
            s"the manifest names ${said.fold("no file version")("the file version " + _)} and its files have several: " +
              several.mkString(", ")
          )
      }
  }
}

private[sparklance] object Manifest {

  /** File version of old tables, also of a table that has no files and names none, unless a flag says version 2.
    */
  private val oldest = FileVersion.V0_1.name
}
