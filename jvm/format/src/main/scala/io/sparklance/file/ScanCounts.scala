package io.sparklance.file

/** Counts of the work that a task did and avoided. For the task's thread. */
final private[sparklance] class ScanCounts {
  private var between = 0L
  private var read = 0L
  private var hits = 0L
  private var misses = 0L

  /** Pages that were opened. */
  def pagesRead: Long = read

  /** Pages that were not, though they lie between rows of the task. */
  def pagesSkipped: Long = math.max(0, between - read)

  /** Parts of files' metadata that others had read before. */
  def cacheHits: Long = hits
  def cacheMisses: Long = misses

  private[file] def plannedPages(count: Int): Unit = between += count
  private[file] def openedPage(): Unit = read += 1

  /** Called by the threads that open files. */
  private[file] def lookedUp(found: Int, missing: Int): Unit = synchronized {
    hits += found
    misses += missing
  }
}
