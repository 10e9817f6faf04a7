package io.sparklance.dataset.validation

import scala.util.Using

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.file.FileReader
import io.sparklance.table.{DataFile, Fragment}

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
    dataset.deletionVector(fragment).toVector.flatMap { deleted =>
      Problem.when(deleted.cardinality >= dataset.physicalRows(fragment))(
        Problem("all of its rows are deleted", Some(fragment.id))
      )
    }
}
