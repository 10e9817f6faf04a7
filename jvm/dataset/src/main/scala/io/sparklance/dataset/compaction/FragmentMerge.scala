package io.sparklance.dataset.compaction

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.{ColumnGroups, WrittenFile}
import io.sparklance.file.FileColumns
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.table.{DataFile, Fragment, WriteId}

/** The data files of a fragment that are merged, without a change of rows or addresses.
  *
  * @param kept
  *   files that stay
  * @param tasks
  *   tasks that copy the others
  */
final private[sparklance] case class FragmentMerge(
    fragment: Fragment,
    kept: Vector[DataFile],
    tasks: Vector[FileMergeTask]
) {

  /** @param files one for each of the tasks */
  def into(files: Vector[WrittenFile]): MergedFragment = MergedFragment(fragment, kept, files)
}

/** A fragment whose files are merged.
  *
  * @param old
  *   its state at the time of reading
  */
final private[sparklance] case class MergedFragment(
    old: Fragment,
    kept: Vector[DataFile],
    added: Vector[WrittenFile]
) {
  def filesRemoved: Int = old.files.size - kept.size

  /** Whether a later state of the fragment has the same files. */
  private[compaction] def isStillIn(fragments: Map[Long, Fragment]): Boolean =
    fragments.get(old.id).exists(_.filesOnly == old.filesOnly)
}

private[compaction] object FragmentMerge {

  /** Returns None if no file fewer would be left. Files of blobs stay, because these refer to their file; so
    * do files of other versions than the table's, files of other tables, and hidden columns of row lineage.
    */
  def of(
      dataset: Dataset,
      fragment: Fragment,
      groups: ColumnGroups,
      write: WriteId
  ): Option[FragmentMerge] = {
    val columns = storedColumns(dataset, fragment)
    val movable = movableFiles(dataset, fragment, columns)
    val parts = groups.of(dataset.schema).map(fields => columns.filter(c => fields.contains(c.root)))
    val (done, scattered) =
      parts.map(_.filter(c => movable(c.file))).filter(_.nonEmpty).partition(isOneFile(_, columns))
    val kept = fragment.files.filter(file => !movable(file) || done.exists(_.head.file == file))
    val tasks = scattered.map(task(dataset, fragment, _, write))
    Option.when(isPlain(dataset) && kept.size + tasks.size < fragment.files.size)(
      FragmentMerge(fragment, kept, tasks)
    )
  }

  /** A column of a data file.
    *
    * @param root
    *   top-level field around it
    */
  private case class Stored(root: Field, leaf: Leaf, file: DataFile, column: Int)

  private def storedColumns(dataset: Dataset, fragment: Fragment): Vector[Stored] = for {
    root <- dataset.schema.fields
    leaf <- FileColumns.leaves(root)
    stored <- fragment.files.iterator.flatMap { file =>
      columnOf(file, leaf.field.id).map(Stored(root, leaf, file, _))
    }.nextOption()
  } yield stored

  private def columnOf(file: DataFile, field: Int): Option[Int] =
    Option(file.fieldIds.indexOf(field)).filter(_ >= 0).flatMap(file.columnIndices.lift(_)).filter(_ >= 0)

  private def movableFiles(dataset: Dataset, fragment: Fragment, columns: Vector[Stored]): Set[DataFile] = {
    val blobs = columns.filter(_.leaf.field.isBlob).map(_.file).toSet
    fragment.files.filter { file =>
      file.version.contains(dataset.fileVersion) && file.baseId.isEmpty && !blobs(file) &&
      file.fieldIds.forall(_ >= Fragment.Invalidated)
    }.toSet
  }

  /** Whether columns are all that is stored in one file. */
  private def isOneFile(part: Vector[Stored], all: Vector[Stored]): Boolean =
    part.map(_.file).distinct.size == 1 && all.count(_.file == part.head.file) == part.size

  /** Whether pages can be copied: structs and lists have no columns of their own, and all columns have the
    * fragment's number of rows.
    */
  private def isPlain(dataset: Dataset): Boolean = {
    val leaves = dataset.schema.fields.flatMap(FileColumns.leaves)
    dataset.fileVersion match {
      case FileVersion.V0_1 | FileVersion.V2_0 => false
      case FileVersion.V2_1 | FileVersion.V2_2 => leaves.forall(leaf => leaf.rowsPerRow == 1 && !leaf.isEmpty)
    }
  }

  private def task(
      dataset: Dataset,
      fragment: Fragment,
      columns: Vector[Stored],
      write: WriteId
  ): FileMergeTask = {
    val ids = columns.map(_.leaf.field.id).toSet
    FileMergeTask(
      fragment.id,
      dataset.physicalRows(fragment),
      LanceSchema(columns.map(_.root).distinct.flatMap(only(_, ids)), dataset.schema.metadata),
      dataset.fileVersion,
      columns.map(c => ColumnSource(dataset.dataFile(c.file), c.file.size, c.column)),
      write
    )
  }

  /** Prunes a field to the columns inside it with these ids. */
  private def only(field: Field, ids: Set[Int]): Option[Field] =
    if (ids(field.id)) Some(field)
    else {
      val children = field.children.flatMap(only(_, ids))
      Option.when(children.nonEmpty)(field.copy(children = children))
    }
}
