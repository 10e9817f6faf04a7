package io.sparklance.spark.write

import org.apache.spark.TaskContext

import io.sparklance.LanceUsageException

private object Fitting {
  def unsigned(name: String, value: Long, bits: Int): Long =
    if (value >= 0 && value >>> bits == 0) value else throw misfit(name, value.toString, s"uint$bits")

  def timeOfDay(name: String, value: Long, perDay: Long): Long =
    if (value >= 0 && value < perDay) value
    else throw misfit(name, value.toString, s"times of day, from 0 to ${perDay - 1}")

  def noText(name: String, bytes: Array[Byte]): LanceUsageException = new LanceUsageException(
    s"Column '$name' holds text, but a row to be written has bytes that are not UTF-8: ${start(bytes)}. " +
      "Write them to a column of type BINARY, or write the nearest text: make_valid_utf8(…)."
  )

  def noJson(name: String, text: String, why: LanceUsageException): LanceUsageException =
    new LanceUsageException(
      s"Column '$name' holds JSON, but a row to be written has '${if (text.length > Shown) text.take(Shown) +
          "…"
        else text}', " +
        s"and ${why.getMessage}. Correct or filter such rows before writing.",
      why
    )

  private def start(bytes: Array[Byte]): String =
    bytes.take(Shown).map(b => f"$b%02x").mkString("X'", "", if (bytes.length > Shown) "'…" else "'")

  /** Bytes of a value that a message shows. */
  private val Shown = 40

  /** Adds to an error of a value where its row is.
    *
    * @param row
    *   number of the row among those that the task writes, from 1
    */
  def inRow(error: LanceUsageException, row: Long): LanceUsageException = new LanceUsageException(
    s"${error.getMessage} It is row $row of partition ${TaskContext.getPartitionId()} of the rows to be written.",
    error
  )

  def misfit(name: String, value: String, wanted: String): LanceUsageException = new LanceUsageException(
    s"Column '$name' holds $wanted, but a row to be written has $value. Correct or filter such rows before writing."
  )
}
