package io.sparklance.table.commit

import io.sparklance.io.ObjectStore

/** For stores that can write a whole file unless there is one: the manifest goes straight to its final name. */
final class ConditionalPut(store: ObjectStore) extends CommitHandler {
  def commit(path: String, manifest: Array[Byte]): Boolean = store.putIfAbsent(path, manifest)
}
