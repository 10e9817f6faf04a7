package io.sparklance.spark.write

import org.slf4j.LoggerFactory

import io.sparklance.dataset.write.WrittenFile

/** Tells in the log that a write has left many small fragments, as a MERGE or an append of many tasks does.
  */
private[spark] object SmallFragments {
  private val log = LoggerFactory.getLogger(getClass)

  /** Fewer fragments are not worth a word. */
  final val Many = 100

  /** Average bytes from which fragments are not small. */
  final val Small: Long = 1L << 20

  def warn(table: String, files: Vector[WrittenFile]): Unit = warning(table, files).foreach(log.warn)

  /** Returns the warning, if the files deserve one. */
  def warning(table: String, files: Vector[WrittenFile]): Option[String] = {
    val average = if (files.isEmpty) 0 else files.flatMap(_.all).map(_.sizeBytes).sum / files.size
    Option.when(files.size >= Many && average < Small)(
      s"$table: one commit added ${files.size} fragments of $average bytes on average, and many small fragments slow " +
        "reads down. Join its tasks by the option advisoryPartitionSize, for MERGE and UPDATE in the session " +
        "(spark.datasource.lance.advisoryPartitionSize), or run OPTIMIZE."
    )
  }
}
