package io.sparklance.spark.index

import java.util.UUID

import io.sparklance.index.build.WrittenIndexFile

/** The files of a new segment.
  *
  * @param uuid
  *   name of their directory
  * @param fragments
  *   ids of the fragments that it covers, if not all that were to be indexed
  */
final private[index] case class BuiltSegment(
    uuid: UUID,
    files: Vector[WrittenIndexFile],
    fragments: Option[Set[Long]] = None
)
