package io.sparklance.table.refs

import java.time.format.DateTimeParseException
import java.time.{Duration, Instant, OffsetDateTime}

import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode

/** A name for one version, in `_refs/tags/<name>.json` of the main branch:
  * {{{
  *   { "branch": null, "version": 3, "createdAt": "2026-11-22T06:24:16.296Z", "updatedAt": …, "manifestSize": 423,
  *     "metadata": {} }
  * }}}
  *
  * @param branch
  *   None for the main branch
  * @param manifestSize
  *   size of the version's manifest, a hint for readers
  */
final private[sparklance] case class Tag(
    branch: Option[String],
    version: Long,
    createdAt: Option[Instant],
    updatedAt: Option[Instant],
    manifestSize: Long,
    metadata: Map[String, String] = Map.empty
) {

  /** Whether the tag is to be dropped by clean-up; other software keeps it. */
  def isExpired(now: Instant): Boolean = metadata.get(Tag.Expires)
    .flatMap(text => Try(Instant.parse(text)).toOption).exists(!now.isBefore(_))
}

private[sparklance] object Tag {

  /** Key of the metadata with the time from which clean-up drops the tag. */
  final private val Expires = "sparklance.expires"

  /** Returns the metadata of a tag that is to stay for some time from now on. */
  def expiring(retain: Option[Duration]): Map[String, String] =
    retain.map(time => Expires -> Instant.now().plus(time).toString).toMap
}

private[refs] object TagCodec extends RefCodec[Tag] {

  def encode(tag: Tag, into: ObjectNode): Unit = {
    into.put("branch", tag.branch.orNull).put("version", tag.version)
    tag.createdAt.foreach(time => into.put("createdAt", time.toString))
    tag.updatedAt.foreach(time => into.put("updatedAt", time.toString))
    val metadata = into.put("manifestSize", tag.manifestSize).putObject("metadata")
    tag.metadata.foreach { case (key, value) => metadata.put(key, value) }
  }

  def decode(from: JsonObject): Tag = Tag(
    from.text("branch"),
    from.number("version"),
    time(from, "createdAt"),
    time(from, "updatedAt"),
    from.number("manifestSize"),
    from.texts("metadata")
  )

  private def time(from: JsonObject, key: String): Option[Instant] = from.text(key).map { text =>
    try OffsetDateTime.parse(text).toInstant
    catch { case _: DateTimeParseException => throw from.wrong(key, "a time") }
  }
}
