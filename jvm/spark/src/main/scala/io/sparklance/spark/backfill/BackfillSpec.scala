package io.sparklance.spark.backfill

import io.sparklance.dataset.backfill.{ColumnsFormat, ColumnsTask, FilledFragment, JobFolder}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.CountedMessage

/** Everything that tasks of a backfill need.
  *
  * @param address
  *   position of the address in Spark's rows
  * @param ordinals
  *   position of each column in Spark's rows
  * @param tasks
  *   fragments that may get a file, by id
  */
final private[backfill] case class BackfillSpec(
    location: TableLocation,
    format: ColumnsFormat,
    address: Int,
    ordinals: Vector[Int],
    folder: JobFolder,
    tasks: Map[Long, ColumnsTask]
)

/** Result of a task.
  *
  * @param rows
  *   number of rows that were given values
  * @param isRepeated
  *   whether an earlier attempt may have left files
  */
final private[backfill] case class BackfillMessage(
    filled: Vector[FilledFragment],
    override val rows: Long,
    isRepeated: Boolean
) extends CountedMessage
