package io.sparklance.spark.index

import java.util.UUID

import io.sparklance.data.FileVersion
import io.sparklance.index.build.IndexEntries
import io.sparklance.io.ObjectStore
import io.sparklance.spark.session.TableLocation

/** Place and format of a segment's files, for tasks.
  *
  * @param root
  *   root of the table
  * @param uuid
  *   name of the segment's directory
  */
final private[index] case class SegmentPlace(
    location: TableLocation,
    root: String,
    uuid: UUID,
    version: FileVersion
) {
  def store: ObjectStore = location.store
  def directory: String = IndexEntries.directory(root, uuid)

  /** Returns the place of one attempt of a task. Attempts write files of the same names, and a lost one
    * removes its files, so each has a directory of its own. Its name begins like this one's: see
    * [[UncommittedSegment]].
    */
  def ofAttempt(taskAttempt: Long): SegmentPlace =
    copy(uuid = new UUID(uuid.getMostSignificantBits, uuid.getLeastSignificantBits + 1 + taskAttempt))
}
