package io.sparklance.dataset.erasure

import scala.util.Try

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.TablePaths

/** Finds shallow clones of a table. A table does not know them, but their manifests name it. */
private[sparklance] object TableClones {

  /** Returns the clones among the tables beside a table, and among others.
    *
    * @param dataset
    *   the table, or one of its branches
    * @param named
    *   roots of further tables
    */
  def of(dataset: Dataset, named: Vector[String]): Vector[TableHistory] = {
    val main = TableHistory.main(dataset)
    val places = Set(main, TableRefs.shown(main))
    (named ++ beside(dataset.store, main)).distinct.filterNot(_ == main).flatMap { root =>
      Try(Dataset.open(dataset.store, root)).toOption
        .filter(table => isClone(table, places))
        .map(TableHistory.read(_, HistoryKind.Clone, root))
    }
  }

  /** Whether a table has files in one of these places. A table never forgets a place. */
  private def isClone(table: Dataset, places: Set[String]): Boolean =
    table.manifest.basePaths.map(base => TablePaths.plain(base.path).stripSuffix("/")).exists { base =>
      places.exists(place => base == place || base.startsWith(s"$place/tree/"))
    }

  /** Returns the roots of tables in the directory that has a table. Returns none where a listing fails, as at
    * the root of a bucket.
    */
  private def beside(store: ObjectStore, main: String): Vector[String] = {
    val parent = main.take(main.lastIndexOf('/'))
    val found = if (parent.isEmpty || parent.endsWith("/")) Vector.empty
    else
      Try(store.directories(parent)).getOrElse(Vector.empty)
    found.take(MostTables).map(StorePath.join(parent, _))
      .filter(root => Try(Dataset.exists(store, root)).getOrElse(false))
  }

  /** Number of directories beside a table that are looked at. */
  final val MostTables = 1000
}
