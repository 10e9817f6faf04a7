package io.sparklance.table

import scala.util.Using

import io.sparklance.data.ByteRange
import io.sparklance.io.{ObjectStore, StorePath}

/** Names all manifests of a table by scheme V2. While it runs, nobody can read the table or write to it: a directory with both
  * schemes is refused. An interrupted one is finished by running it again.
  */
final class NamingMigration(store: ObjectStore, root: String) {

  /** How many manifests were named anew. */
  def run(): Int = {
    val directory = StorePath.join(root, Versions.directoryName)
    val old = store.list(directory).flatMap { entry =>
      ManifestNaming.parse(entry.name).collect { case ManifestName.Attached(version, ManifestNaming.V1) =>
        (version, StorePath.join(directory, entry.name))
      }
    }
    // The latest one comes last: until then, the next version of a writer that knows nothing of this has its old name.
    old.sortBy(_._1).foreach { case (version, path) =>
      val _ = store.putIfAbsent(StorePath.join(directory, ManifestNaming.V2.fileName(version)), bytes(path))
      store.delete(path)
    }
    old.size
  }

  private def bytes(path: String): Array[Byte] = Using.resource(store.open(path)) { file =>
    val all = new Array[Byte](Math.toIntExact(file.size))
    file.read(ByteRange(0, file.size), all, 0)
    all
  }
}
