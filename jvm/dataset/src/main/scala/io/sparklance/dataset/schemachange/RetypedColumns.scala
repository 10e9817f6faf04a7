package io.sparklance.dataset.schemachange

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.schema.{Field, LanceSchema, LogicalType, LogicalTypes}
import io.sparklance.table.index.IndexSegments
import io.sparklance.table.{Versions, WriteId}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Columns that change types: fields with new ids, and values cast from the old fields.
  *
  * @param schema
  *   the table's schema afterwards
  * @param former
  *   old field ids by new field ids
  */
final private[sparklance] class RetypedColumns(dataset: Dataset, schema: LanceSchema, former: Map[Int, Int]) {
  private val before = dataset.schema
  private val olds = former.values.toSet

  /** Ids of the old fields and of those inside them: files name a list by its items. */
  private val oldIds = olds.flatMap(SchemaEdit.field(before, _).preOrder.map(_.id))

  /** Returns a task for each fragment with values of such columns; in the others they are null. */
  def tasks(write: WriteId): Vector[ColumnFileTask] = dataset.locating {
    refuse()
    val projection = before.fields.flatMap(only(_, olds))
    val renewed = projection.map(renew)
    ScanPlan.splits(dataset, projection, SplitTarget.Rows(Long.MaxValue)).flatMap(_.tasks).collect {
      case task if task.files.exists(_.fieldIds.exists(oldIds)) =>
        CastTask(task.copy(deletion = None), task.deletion, LanceSchema(renewed), dataset.fileVersion, write)
    }
  }

  /** Prunes a field to the wanted fields inside it; None if there are none. */
  private def only(field: Field, wanted: Set[Int]): Option[Field] =
    if (wanted(field.id)) Some(field)
    else {
      val children = field.children.flatMap(only(_, wanted))
      Option.when(children.nonEmpty)(field.copy(children = children))
    }

  private def renew(field: Field): Field =
    former.collectFirst { case (now, old) if old == field.id => SchemaEdit.field(schema, now) }
      .getOrElse(field.copy(children = field.children.map(renew)))

  private def refuse(): Unit = {
    refuseOldest()
    former.foreach { case (now, old) =>
      val (from, to) = (SchemaEdit.field(before, old), SchemaEdit.field(schema, now))
      val name = SchemaEdit.name(schema, now)
      val isVector = ListToVectorCast.of(from, to.logicalType).isDefined
      if (!isVector) refuseLists(from, to, name)
      if (from.isBlob || from.isPacked || from.children.nonEmpty && !isVector)
        throw new UnsupportedLanceFeatureException(
          s"changing the type of column '$name', which is ${LogicalTypes.print(from.logicalType)}"
        )
      val _ = CastingCopy.cast(from, to, name)
      refuseShared(old, name)
    }
    refuseIndexed()
  }

  private def refuseOldest(): Unit = dataset.fileVersion match {
    case FileVersion.V0_1 =>
      throw new LanceUsageException(
        "The files of this table have version 0.1, which is read but not written, so columns cannot change types. " +
          "Raise its version first: CALL lance.system.raise_file_version."
      )
    case FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 => ()
  }

  /** Refuses lists whose items have no cast to those of the vectors. */
  private def refuseLists(from: Field, to: Field, name: String): Unit =
    (from.logicalType, from.children, to.logicalType) match {
      case (LogicalType.List(_, _), Vector(item), LogicalType.FixedSizeList(wanted, _))
          if item.children.isEmpty && ListToVectorCast.isOfOneWidth(wanted) =>
        throw new LanceUsageException(
          s"Column '$name' has lists of ${LogicalTypes.print(item.logicalType)}, which cannot be changed to " +
            s"${LogicalTypes.print(to.logicalType)} in place. Write such values to another column, by CAST and with " +
            "the metadata of vectors (docs/vector-search.md), and drop this one. Nothing was committed."
        )
      case _ => ()
    }

  /** Refuses a field with siblings in files of version 2.0: structs and lists have columns of their own
    * there, which would move to the new file and be missing for the siblings.
    */
  private def refuseShared(old: Int, name: String): Unit = {
    val isShared = SchemaEdit.path(before, old).exists(_.preOrder.count(_.children.isEmpty) > 1)
    dataset.fileVersion match {
      case version @ (FileVersion.V0_1 | FileVersion.V2_0) if isShared =>
        throw new UnsupportedLanceFeatureException(
          s"changing the type of '$name' beside other fields in files of version $version"
        )
      case _ => ()
    }
  }

  /** Refuses indexed columns: an index refers to the old values, and dropping it silently would slow
    * searches.
    */
  private def refuseIndexed(): Unit = {
    val versions = new Versions(dataset.store, dataset.root)
    val section =
      versions.list().find(_.version == dataset.version).map(versions.readWhole).flatMap(_.indexSection)
    val segments = section.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    segments.find(_.fields.exists(oldIds)).foreach { segment =>
      val column = SchemaEdit.name(before, segment.fields.filter(oldIds).head)
      throw new LanceUsageException(
        s"Column '$column' has the index '${segment.index}', which would be lost with another type. Drop " +
          "the index, change the type, and rebuild it."
      )
    }
  }
}
