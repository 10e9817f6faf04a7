package io.sparklance.table

import io.sparklance.io.{ObjectStore, StorePath, WholeFile}

/** Renames all manifests of a table to scheme V2. Meanwhile the table can be neither read nor written: a
  * directory with both schemes is refused. Running it again finishes an interrupted migration.
  */
final private[sparklance] class NamingMigration(store: ObjectStore, root: String) {

  /** Renames the manifests. Returns their number. */
  def run(): Int = {
    val directory = StorePath.join(root, Versions.directoryName)
    val old = store.list(directory).flatMap { entry =>
      ManifestNaming.parse(entry.name).collect { case ManifestName.Attached(version, ManifestNaming.V1) =>
        (version, StorePath.join(directory, entry.name))
      }
    }
    // The latest one comes last, so that a writer unaware of the migration still names its next version by
    // the old scheme.
    old.sortBy(_._1).foreach { case (version, path) =>
      val _ = store.putIfAbsent(
        StorePath.join(directory, ManifestNaming.V2.fileName(version)),
        WholeFile.read(store, path)
      )
      store.delete(path)
    }
    old.size
  }
}
