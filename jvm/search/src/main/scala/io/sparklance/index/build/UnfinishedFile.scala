package io.sparklance.index.build

/** A file of an index that is being written. */
private[sparklance] trait UnfinishedFile {

  /** Removes the file. */
  def abort(): Unit
}

private[sparklance] object UnfinishedFile {

  /** Runs `body`, and removes the file if it fails. */
  def writing[W <: UnfinishedFile, A](writer: W)(body: W => A): A =
    try body(writer)
    catch {
      case failure: Throwable =>
        writer.abort()
        throw failure
    }
}
