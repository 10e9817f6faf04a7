package io.sparklance.spark.write

import io.sparklance.dataset.write.WrittenFile

/** Files that a task has written.
  *
  * @param isRepeated
  *   whether an earlier attempt may have left files, because its executor was lost
  * @param keys
  *   filter of the keys of its rows, if they are collected
  */
final private[sparklance] case class LanceCommitMessage(
    files: Vector[WrittenFile],
    isRepeated: Boolean,
    keys: Option[Array[Byte]] = None
) extends CountedMessage {
  override def rows: Long = files.map(_.rows).sum
}
