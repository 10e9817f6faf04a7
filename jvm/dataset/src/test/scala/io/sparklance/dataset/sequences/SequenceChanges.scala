package io.sparklance.dataset.sequences

import scala.util.{Failure, Random, Success, Try}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.changes.{AppendedRows, ChangeFeed, ChangeKind, ChangedRows, VersionRange}
import io.sparklance.io.ObjectStore

/** Compares the change feeds of a sequence with what its model says.
  *
  * @param kept
  *   the content of the versions that are left
  * @param kinds
  *   the first word of the step that made a version
  */
final private[sequences] class SequenceChanges(
    store: ObjectStore,
    kept: Map[Long, Content],
    kinds: Map[Long, String]
) {

  /** Checks a random range of versions. */
  def check(random: Random): Unit = {
    val starts = kept.keys.filter(version => version == 1 || kept.contains(version - 1)).toVector.sorted
    if (starts.nonEmpty) {
      val start = starts(random.nextInt(starts.size))
      val ends = Iterator.iterate(start)(_ + 1).takeWhile(kept.contains).toVector
      val range = VersionRange(start, ends(random.nextInt(ends.size)))
      val table = Dataset.open(store, ModelTable.Root, Some(range.end))
      whole(table, range)
      net(table, range)
      appended(table, range)
    }
  }

  private def whole(table: Dataset, range: VersionRange): Unit =
    unlessRefused(table, s"changes of $range")(new ChangeFeed(table, range).all) { changes =>
      (range.start to range.end).foreach { version =>
        val found = changes.filter(_.version == version)
        compare(s"changes of $version in $range", table, found, before(version), version)
      }
    }

  private def net(table: Dataset, range: VersionRange): Unit =
    unlessRefused(table, s"net changes of $range")(new ChangeFeed(table, range).net) { changes =>
      compare(s"net changes of $range", table, changes, before(range.start), range.end)
    }

  private def before(version: Long): Option[Long] = Option.when(version > 1)(version - 1)

  /** Compares changes between two versions with the difference of their contents. */
  private def compare(
      what: String,
      table: Dataset,
      changes: Vector[ChangedRows],
      from: Option[Long],
      to: Long
  ): Unit = {
    val old = from.fold(Map.empty[Long, ModelRow])(version => shown(version, table.version))
    val now = shown(to, table.version)
    def isUpdated(row: ModelRow) =
      row.lineage.exists(of => now.get(row.id).flatMap(_.lineage).exists(_.updated != of.updated))
    val updated = old.values.filter(isUpdated).map(_.id).toSet
    val expected = Map[ChangeKind, Set[ModelRow]](
      ChangeKind.Delete -> old.values.filterNot(row => now.contains(row.id)).toSet,
      ChangeKind.UpdatePreimage -> old.values.filter(row => updated(row.id)).toSet,
      ChangeKind.UpdatePostimage -> now.values.filter(row => updated(row.id)).toSet,
      ChangeKind.Insert -> now.values.filterNot(row => old.contains(row.id)).toSet
    )
    expected.foreach { case (kind, rows) =>
      val found =
        changes.filter(_.kind == kind).flatMap(part => ModelTable.read(part.dataset, part.addresses))
      assert(found.size == found.toSet.size, s"$what: rows of kind ${kind.name} come twice")
      assert(found.toSet == rows, s"$what: ${kind.name}\n  found $found\n  not $rows")
    }
  }

  /** Rows of a version, as far as a later version has their columns. */
  private def shown(version: Long, target: Long): Map[Long, ModelRow] = {
    val own = kept(version).columns.toSet
    val columns = (version + 1 to target).foldLeft(own) { (left, next) =>
      (if (kinds.get(next).contains("restore")) own else left).intersect(kept(next).columns.toSet)
    }
    kept(version).rows.view.mapValues { row =>
      row.copy(values = row.values.filter { case (name, _) => columns(name) })
    }.toMap
  }

  private def appended(table: Dataset, range: VersionRange): Unit = {
    val versions = range.start to range.end
    val replaced = versions.exists(v => v > 1 && kinds.get(v).exists(Set("restore", "overwrite")))
    Try(new AppendedRows(table).of(range)) match {
      case Failure(e: LanceUsageException) => assert(replaced, s"appends of $range: ${e.getMessage}")
      case Failure(e) => throw e
      case Success(found) =>
        assert(!replaced, s"appends of $range in spite of a replaced table")
        val rows =
          versions.filter(v => v == 1 || kinds.get(v).exists(Set("append", "add"))).flatMap { version =>
            val old = before(version).fold(Set.empty[Long])(kept(_).rows.keySet)
            shown(version, table.version).values.filterNot(row => old(row.id))
          }
        val read = ModelTable.read(found)
        assert(read.size == rows.size && read.toSet == rows.toSet, s"appends of $range: $read, not $rows")
    }
  }

  /** A table without stable row ids may refuse. */
  private def unlessRefused(table: Dataset, what: String)(read: => Vector[ChangedRows])(
      check: Vector[ChangedRows] => Unit
  ): Unit = Try(read) match {
    case Success(changes) => check(changes)
    case Failure(e: LanceUsageException) =>
      assert(!table.hasStableRowIds && e.getMessage.contains("stable row ids"), s"$what: ${e.getMessage}")
    case Failure(e) => throw e
  }

  private def assert(condition: Boolean, what: => String): Unit =
    if (!condition) throw new AssertionError(what)
}
