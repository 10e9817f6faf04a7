package io.sparklance.table

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}

/** Mends what old releases of the reference wrote wrongly, as the reference itself does: some faults whenever
  * a manifest is read, the others when the next version is made. docs/format-coverage.md lists them.
  */
private[sparklance] object HistoricFaults {

  /** Removes the row counts of a manifest that names no writer: release 0.8.0 left deleted rows out of them.
    * Whoever needs a count takes it from the data files and deletion files, as for tables that never had
    * counts.
    */
  def withoutWrongCounts(message: pb.Manifest): pb.Manifest =
    if (message.writerVersion.isDefined) message
    else
      message.copy(fragments = message.fragments.map { fragment =>
        fragment.copy(
          physicalRows = 0,
          deletionFile = fragment.deletionFile.map(_.copy(numDeletedRows = 0))
        )
      })

  /** Gives new ids to fields that several files of a fragment have: up to 0.10.5, columns that were added
    * took the ids of dropped ones, whose files stayed. The last file of each fragment has the column of the
    * schema; the others lose theirs.
    */
  def withDistinctFields(message: pb.Manifest): pb.Manifest = {
    val duplicates = message.fragments.iterator.filter(_.files.size > 1).flatMap { fragment =>
      val ids = fragment.files.flatMap(_.fields.filter(_ >= 0))
      ids.diff(ids.distinct)
    }.toSet
    if (duplicates.isEmpty) message else renumbered(message, newIds(message, duplicates))
  }

  private def newIds(message: pb.Manifest, duplicates: Set[Int]): Map[Int, Int] = {
    val used =
      message.fields.iterator.map(_.id) ++ message.fragments.iterator.flatMap(_.files).flatMap(_.fields)
    duplicates.toVector.sorted.zip(LazyList.from(used.max + 1)).toMap
  }

  private def renumbered(message: pb.Manifest, newIds: Map[Int, Int]): pb.Manifest = {
    val fields = message.fields.map(field =>
      field.copy(
        id = newIds.getOrElse(field.id, field.id),
        parentId = newIds.getOrElse(field.parentId, field.parentId)
      )
    )
    val live = fields.map(_.id).toSet
    val fragments = message.fragments.map { fragment =>
      val files = lastOnly(fragment.files, newIds).filter(_.fields.exists(id => live(id) || id < Hidden))
      fragment.copy(files = files)
    }
    message.copy(fields = fields, fragments = fragments)
  }

  /** Ids below are those of hidden columns. */
  private val Hidden = -2

  /** The files with a new id where a field occurs for the last time. */
  private def lastOnly(files: Seq[pb.DataFile], newIds: Map[Int, Int]): Seq[pb.DataFile] = {
    val last = files.zipWithIndex.flatMap { case (file, at) => file.fields.map(_ -> at) }.toMap
    files.zipWithIndex.map { case (file, at) =>
      file.copy(fields = file.fields.map(id => if (last(id) == at) newIds.getOrElse(id, id) else id))
    }
  }

  /** Refuses to write a version that has one of the faults which nobody can mend. */
  def checkNone(message: pb.Manifest): Unit = {
    val ids = message.fragments.map(_.id)
    ids.diff(ids.distinct).headOption.foreach { id =>
      throw new LanceUsageException(
        s"Nothing can be committed on top of version ${message.version - 1}: two of its fragments have " +
          s"the id $id, as releases of pylance up to 0.16 could leave it. Restore a version without this " +
          "fault, or write the rows to a new table."
      )
    }
    val (old, current) =
      message.fragments.iterator.flatMap(_.files).map(DataFile(_).versionName).toVector.partition(_ == "0.1")
    if (old.nonEmpty && current.nonEmpty)
      throw new LanceUsageException(
        s"Nothing can be committed on top of version ${message.version - 1}: it has data files of " +
          s"version 0.1 beside those of ${current.head}, as pylance 0.16 could leave it. Restore a " +
          "version without this fault, or write the rows to a new table."
      )
  }
}
