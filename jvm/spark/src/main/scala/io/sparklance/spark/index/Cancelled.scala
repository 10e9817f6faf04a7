package io.sparklance.spark.index

import org.apache.spark.{TaskContext, TaskKilledException}

import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.io.StorePath

/** Ends tasks that Spark has cancelled. The driver may have removed the files of a failed build already. */
private[index] object Cancelled {
  def check(): Unit = if (TaskContext.get().isInterrupted()) throw new TaskKilledException

  /** Removes a finished file of a cancelled task. */
  def check(file: WrittenIndexFile, place: SegmentPlace): Unit = if (TaskContext.get().isInterrupted()) {
    place.store.delete(StorePath.join(place.directory, file.name))
    throw new TaskKilledException
  }
}
