package io.sparklance.table.commit

/** Makes a manifest the next version, so that of several writers exactly one succeeds. */
trait CommitHandler {

  /** False if the version was there already. A failure says nothing about whether the manifest is there. */
  def commit(path: String, manifest: Array[Byte]): Boolean
}
