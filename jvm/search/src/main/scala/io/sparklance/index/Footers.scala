package io.sparklance.index

import scala.util.{Try, Using}

import io.sparklance.WeightedCache
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.file.FileReader
import io.sparklance.io.IoTask
import io.sparklance.table.{Fragment, VersionIdentity}

/** Opens the data files of small tables and reads their deletion files while an index is opened, since the
  * rows that it finds lie in them.
  */
private[index] object Footers {

  /** Data files of a table of which all are opened. */
  final private val MostFiles = 16

  /** Versions whose files were opened. */
  private val seen = new WeightedCache[(String, VersionIdentity), Unit](maxWeight = 1 << 12)

  /** Reads these files to be cached, without waiting for them. Whoever reads them again reports what is wrong
    * with them.
    */
  def begin(snapshot: Snapshot, io: IoTask): Unit = {
    def key = (snapshot.root, VersionIdentity.of(snapshot.manifest))
    def isSmall = snapshot.fragments.size <= MostFiles &&
      snapshot.fragments.iterator.map(_.files.size).sum <= MostFiles
    if (io.isAhead && isSmall && seen.find(key).isEmpty) {
      seen.put(key, (), 1)
      snapshot.fragments.flatMap(reads(snapshot, _)).foreach { read =>
        val _ = io.fork(Try(read()))
      }
    }
  }

  private def reads(snapshot: Snapshot, fragment: Fragment): Vector[() => Unit] =
    fragment.files.map { file => () =>
      val path = snapshot.dataFile(file)
      Using.resource(FileReader.open(snapshot.store, path, file.size))(_ => ())
    } ++ fragment.deletionFile.map { _ => () =>
      val _ = snapshot.deletionVector(fragment)
    }
}
