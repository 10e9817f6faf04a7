package io.sparklance.io

import java.io.OutputStream

/** A file being written, front to back. */
trait WritableFile {
  def path: String
  def stream: OutputStream

  /** Makes the file durable and visible. */
  def commit(): Unit

  /** Removes the unfinished file. Has no effect after [[commit]]; may be called after a failure. */
  def abort(): Unit
}
