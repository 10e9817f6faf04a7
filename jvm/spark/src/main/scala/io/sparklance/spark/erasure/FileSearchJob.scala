package io.sparklance.spark.erasure

import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.erasure.{SearchedFile, Sought}
import io.sparklance.spark.session.TableLocation

/** Searches files for texts by a Spark job. */
private[erasure] object FileSearchJob {

  /** Returns the files with one of the texts. */
  def run(
      location: TableLocation,
      dataset: Dataset,
      files: Vector[SearchedFile],
      sought: Sought
  ): Vector[SearchedFile] =
    if (files.isEmpty || sought.isEmpty) Vector.empty
    else {
      val context = SparkSession.active.sparkContext
      val texts = context.broadcast(sought)
      val table = location.forTasks(dataset)
      val tasks = math.min(files.size, math.max(1, context.defaultParallelism * 4))
      val found = context
        .parallelize(files, tasks)
        .mapPartitions { some =>
          val store = table.store
          some.filter(_.has(store, texts.value)).map(_.path)
        }
        .collect()
        .toSet
      files.filter(file => found(file.path))
    }
}
