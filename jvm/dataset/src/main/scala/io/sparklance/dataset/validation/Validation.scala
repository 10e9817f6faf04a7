package io.sparklance.dataset.validation

import java.io.IOException

import scala.util.Using
import scala.util.control.NonFatal

import io.sparklance.LanceException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.{MetadataColumn, NumberSource}
import io.sparklance.file.FileReader
import io.sparklance.table.index.{IndexKinds, IndexSegments}
import io.sparklance.table.{DataFile, FeatureFlags, Fragment, Manifest, Versions}

/** Validates a version without decoding values: the manifest, its files and their metadata, deletions, row
  * ids, indices.
  */
private[sparklance] object Validation {

  /** Returns all problems; empty if there are none. */
  def problems(dataset: Dataset): Vector[Problem] =
    ManifestCheck(dataset) ++ dataset.fragments.flatMap(FragmentCheck(dataset, _)) ++ RowIdCheck(dataset) ++
      IndexCheck(dataset)
}

/** Checks a fragment's files: they exist, with the size and version of the manifest, and all have its rows.
  */
private[validation] object FragmentCheck {

  def apply(dataset: Dataset, fragment: Fragment): Vector[Problem] = {
    val id = Some(fragment.id)
    fields(fragment) ++ versions(fragment) ++ fragment.files.flatMap { file =>
      Problem.found(id, Some(file.path))(data(dataset, fragment, file))
    } ++ Problem.found(id, fragment.deletionFile.map(_.fileName(fragment.id)))(deletions(dataset, fragment))
  }

  /** Checks field ids and columns. Negative ids are not in the schema. In files of version 0.1 the order of
    * ids determines the columns.
    */
  private def fields(fragment: Fragment): Vector[Problem] = {
    val ofFiles = fragment.files.map(file => file -> file.fieldIds.filter(_ >= 0))
    val unordered = ofFiles.collect {
      case (file, ids) if file.version.contains(FileVersion.V0_1) && ids != ids.sorted =>
        Problem("its fields are not in the order of their ids", Some(fragment.id), Some(file.path))
    }
    val all = ofFiles.flatMap(_._2)
    unordered ++ all.diff(all.distinct).distinct.map { field =>
      Problem(s"field $field is in it twice", Some(fragment.id))
    }
  }

  private def versions(fragment: Fragment): Vector[Problem] = {
    val (old, current) = fragment.files.partition(_.version.contains(FileVersion.V0_1))
    Problem.when(old.nonEmpty && current.nonEmpty)(
      Problem("some of its files are of version 0.1, others are not", Some(fragment.id))
    )
  }

  private def data(dataset: Dataset, fragment: Fragment, file: DataFile): Vector[Problem] = {
    def problem(message: String) = Problem(message, Some(fragment.id), Some(file.path))
    val path = dataset.dataFile(file)
    val size = Using.resource(dataset.store.open(path))(_.size)
    val wrongSize = file.size.filter(_ != size).toVector.map { said =>
      problem(s"it has $size bytes, but the manifest says $said")
    }
    if (wrongSize.nonEmpty) wrongSize
    else
      Using.resource(FileReader.open(dataset.store, path, Some(size))) { reader =>
        val rows = dataset.physicalRows(fragment)
        Problem.when(reader.numRows != rows)(
          problem(s"it has ${reader.numRows} rows, the fragment $rows")
        ) ++ Problem.when(!file.version.contains(reader.version))(
          problem(s"it is of version ${reader.version}, but the manifest says ${file.versionName}")
        )
      }
  }

  private def deletions(dataset: Dataset, fragment: Fragment): Vector[Problem] =
    dataset.storedDeletions(fragment).toVector.flatMap { deleted =>
      Problem.when(deleted.cardinality >= dataset.physicalRows(fragment))(
        Problem("all of its rows are deleted", Some(fragment.id))
      )
    }
}

/** Checks index segments: uuids are unique, segments of one index do not overlap, and no compaction has moved
  * rows without telling them.
  */
private[validation] object IndexCheck {

  def apply(dataset: Dataset): Vector[Problem] = Problem.found() {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.find(dataset.version).flatMap(versions.readWhole(_).indexSection)
    val segments = section.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    val twice = segments.map(_.uuid).diff(segments.map(_.uuid).distinct).distinct
    val isMoved = !dataset.hasStableRowIds && segments.exists(_.index == IndexKinds.FragmentReuse)
    val outdated =
      if (isMoved) segments.map(_.index).distinct.filterNot(IndexKinds.isSystem) else Vector.empty
    twice.map(uuid => Problem(s"two segments of indices have the uuid $uuid")) ++
      outdated.map(index =>
        Problem(
          s"a compaction has moved rows without telling the index '$index', so queries may scan instead; rebuild it"
        )
      ) ++
      dataset.fragments.flatMap { fragment =>
        val covering = segments.filter(_.covers(fragment.id)).groupBy(_.index).filter(_._2.size > 1)
        covering.keys.toVector.sorted.map { index =>
          Problem(s"two segments of the index '$index' cover it", Some(fragment.id))
        }
      }
  }
}

/** Checks the manifest: fragments, flags, schema, time and file version. */
private[validation] object ManifestCheck {

  def apply(dataset: Dataset): Vector[Problem] = {
    val manifest = dataset.manifest
    Problem.found()(order(manifest) ++ highest(manifest) ++ flags(manifest) ++ {
      val _ = (dataset.schema, dataset.fileVersion, dataset.timestamp)
      Vector.empty
    })
  }

  private def order(manifest: Manifest): Vector[Problem] = {
    val ids = manifest.fragments.map(_.id)
    ids.zip(ids.drop(1)).flatMap {
      case (a, b) if a == b => Some(Problem(s"two fragments have the id $a", Some(a)))
      case (a, b) if a > b => Some(Problem(s"fragment $b follows fragment $a", Some(b)))
      case _ => None
    }
  }

  private def highest(manifest: Manifest): Vector[Problem] = for {
    recorded <- manifest.message.maxFragmentId.map(Integer.toUnsignedLong).toVector
    fragment <- manifest.fragments
    if fragment.id > recorded
  } yield Problem(s"its id is above $recorded, the highest id recorded", Some(fragment.id))

  private def flags(manifest: Manifest): Vector[Problem] = {
    val (now, due) = (manifest.message, FeatureFlags.recomputed(manifest.message))
    Problem.when((due.readerFeatureFlags & ~now.readerFeatureFlags) != 0)(
      Problem("the flags for readers lack features that the table uses")
    )
  }
}

/** Checks stable row ids (each row has one, live rows have distinct ones, the next id is above all) and row
  * versions.
  */
private[validation] object RowIdCheck {

  def apply(dataset: Dataset): Vector[Problem] =
    versions(dataset) ++ (if (dataset.hasStableRowIds) ids(dataset) else Vector.empty)

  private def versions(dataset: Dataset): Vector[Problem] = for {
    fragment <- dataset.fragments
    column <- Vector(MetadataColumn.RowCreatedAtVersion, MetadataColumn.RowLastUpdatedAtVersion)
    problem <- Problem.found(Some(fragment.id)) {
      dataset.numbers(fragment, column).foreach(_.parse(dataset.physicalRows(fragment)))
      Vector.empty
    }
  } yield problem

  private def ids(dataset: Dataset): Vector[Problem] = {
    val next = dataset.manifest.message.nextRowId
    val ofFragments = dataset.fragments.map { fragment =>
      var live = Array.emptyLongArray
      val problems = Problem.found(Some(fragment.id)) {
        live = liveIds(dataset, fragment)
        live.find(id => java.lang.Long.compareUnsigned(id, next) >= 0).toVector.map { id =>
          Problem(s"a row has the id $id, though the next one to be given is $next", Some(fragment.id))
        }
      }
      (live, problems)
    }
    ofFragments.flatMap(_._2) ++ repeated(ofFragments.flatMap(_._1).toArray)
  }

  private def liveIds(dataset: Dataset, fragment: Fragment): Array[Long] = {
    val rows = dataset.physicalRows(fragment)
    val deleted = dataset.deletionVector(fragment)
    dataset.numbers(fragment, MetadataColumn.RowId).fold(Array.emptyLongArray) { source: NumberSource =>
      val ids = source.parse(rows)
      Iterator.iterate(0L)(_ + 1).takeWhile(_ < rows).filterNot(r => deleted.exists(_.isDeleted(r))).map(ids(
        _
      )).toArray
    }
  }

  private def repeated(ids: Array[Long]): Vector[Problem] = {
    java.util.Arrays.sort(ids)
    (1 until ids.length).find(i => ids(i) == ids(i - 1)).toVector.map { i =>
      Problem(s"two rows have the id ${ids(i)}")
    }
  }
}

/** A fault of a table.
  *
  * @param fragment
  *   the fragment, if it belongs to one
  * @param file
  *   the file, if it belongs to one
  */
final private[sparklance] case class Problem(
    message: String,
    fragment: Option[Long] = None,
    file: Option[String] = None
)

private[validation] object Problem {

  /** Runs a check; its failure counts as a problem. */
  def found(
      fragment: Option[Long] = None,
      file: Option[String] = None
  )(look: => Vector[Problem]): Vector[Problem] =
    try look
    catch {
      case e: LanceException => Vector(Problem(e.getMessage, fragment, file))
      case e: IOException => Vector(Problem(s"cannot be read: ${e.getMessage}", fragment, file))
      case NonFatal(e) => Vector(Problem(s"cannot be read: $e", fragment, file))
    }

  def when(condition: Boolean)(problem: => Problem): Vector[Problem] =
    if (condition) Vector(problem) else Vector.empty
}
