package io.sparklance.spark.rowlevel

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.backfill.{ColumnsFormat, ColumnsTask, ReplacedColumns}
import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.options.WriteLimits
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.{RowToBlocks, WriteSpec}
import io.sparklance.table.WriteId

/** Everything that tasks need to write columns of changed rows in place.
  *
  * @param ordinals
  *   position of each column in Spark's rows
  * @param tasks
  *   the fragments, by id
  * @param moves
  *   how rows of fragments with few changes are written again instead; None if they never are
  */
final private[spark] case class ColumnsSpec(
    location: TableLocation,
    format: ColumnsFormat,
    ordinals: Vector[Int],
    tasks: Map[Long, ColumnsTask],
    moves: Option[MovesSpec] = None
)

/** Settings for changed rows that are written with all columns.
  *
  * @param rest
  *   reads the columns that do not change, by fragment
  * @param changed
  *   positions of the columns that change in the table's schema
  * @param others
  *   positions of the others
  */
final private[spark] case class MovesSpec(
    rest: Map[Long, FragmentTask],
    changed: Vector[Int],
    others: Vector[Int]
)

private[spark] object ColumnsSpec {

  /** @param rows
    *   Spark's rows
    * @param write
    *   mark of all files
    */
  def of(
      location: TableLocation,
      dataset: Dataset,
      plan: ColumnsPlan,
      rows: StructType,
      limits: WriteLimits,
      write: WriteId
  ): ColumnsSpec = {
    val columns = plan.columns
    RowToBlocks.refuseUnwritable(columns, dataset.fileVersion)
    val format = ColumnsFormat(
      columns,
      dataset.fileVersion,
      FragmentWriter.pageSizes(columns, limits.bufferBytes, limits.pageBytes),
      write,
      limits.compression,
      limits.statistics
    )
    ColumnsSpec(
      location.forTasks(dataset),
      format,
      WriteSpec.ordinals(columns, rows),
      tasks(dataset, columns),
      Option.when(plan.mayMove)(moves(dataset, columns))
    )
  }

  private def tasks(dataset: Dataset, columns: LanceSchema): Map[Long, ColumnsTask] =
    new ReplacedColumns(dataset, columns).tasks.map(task => task.id -> task).toMap

  private def moves(dataset: Dataset, columns: LanceSchema): MovesSpec = {
    val ids = columns.fields.map(_.id).toSet
    val (changed, others) = dataset.schema.fields.zipWithIndex.partition { case (field, _) => ids(field.id) }
    val rest = tasks(dataset, LanceSchema(others.map(_._1))).flatMap { case (id, task) =>
      task.old.map(id -> _)
    }
    MovesSpec(rest, changed.map(_._2), others.map(_._2))
  }
}
