package io.sparklance.spark.backfill

import io.sparklance.dataset.backfill.{ColumnsFormat, ColumnsTask, FilledFragment, JobFolder}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.CountedMessage

/** What tasks have to know in order to write columns of rows that are there.
  *
  * @param address where in Spark's rows the address is
  * @param ordinals for each column, where in them it is
  * @param tasks the fragments that may get a file, by their numbers
  */
final private[backfill] case class BackfillSpec(
    location: TableLocation,
    format: ColumnsFormat,
    address: Int,
    ordinals: Vector[Int],
    folder: JobFolder,
    tasks: Map[Long, ColumnsTask]
)

/** What a task has done.
  *
  * @param rows how many rows were given values
  * @param isRepeated whether there was another attempt before, which may have left files
  */
final private[backfill] case class BackfillMessage(
    filled: Vector[FilledFragment],
    override val rows: Long,
    isRepeated: Boolean
) extends CountedMessage
