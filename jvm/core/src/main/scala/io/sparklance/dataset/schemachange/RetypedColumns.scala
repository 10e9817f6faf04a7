package io.sparklance.dataset.schemachange

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}
import io.sparklance.table.index.IndexSegments
import io.sparklance.table.{Versions, WriteId}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Columns that get other types: fields with new numbers, for which the values of old ones are cast.
  *
  * @param schema of the table afterwards
  * @param former the number of the field that each had before, by its new one
  */
final class RetypedColumns(dataset: Dataset, schema: LanceSchema, former: Map[Int, Int]) {
  private val before = dataset.schema
  private val olds = former.values.toSet

  /** One for each fragment that has values of such columns; in all others these are null. */
  def tasks(write: WriteId): Vector[ColumnFileTask] = dataset.locating {
    refuse()
    val projection = before.fields.flatMap(only(_, olds))
    val renewed = projection.map(renew)
    val stored = projection.flatMap(_.preOrder).map(_.id).filter(olds).toSet
    ScanPlan.splits(dataset, projection, SplitTarget.Rows(Long.MaxValue)).flatMap(_.tasks).collect {
      case task if task.files.exists(_.fieldIds.exists(stored)) =>
        CastTask(task.copy(deletion = None), task.deletion, LanceSchema(renewed), dataset.fileVersion, write)
    }
  }

  /** What is left of a field if nothing is wanted but some fields in it. */
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
    former.foreach { case (now, old) =>
      val (from, to) = (SchemaEdit.field(before, old), SchemaEdit.field(schema, now))
      val name = SchemaEdit.name(schema, now)
      if (from.isBlob || from.isPacked || from.children.nonEmpty)
        throw new UnsupportedLanceFeatureException(
          s"changing the type of column '$name', which is ${LogicalTypes.print(from.logicalType)}"
        )
      val _ = CastingCopy.cast(from.logicalType, to.logicalType, name)
      refuseShared(old, name)
    }
    refuseIndexed()
  }

  /** Files of version 2.0 have structs and lists in columns of their own, which the new file has from then on; others of their
    * fields would be without.
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

  /** An index finds what values were. To drop it without a word would make searches slow or worse, which nobody has asked for. */
  private def refuseIndexed(): Unit = {
    val versions = new Versions(dataset.store, dataset.root)
    val section =
      versions.list().find(_.version == dataset.version).map(versions.readWhole).flatMap(_.indexSection)
    val segments = section.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    segments.find(_.fields.exists(olds)).foreach { segment =>
      val column = SchemaEdit.name(before, segment.fields.filter(olds).head)
      throw new LanceUsageException(
        s"Column '$column' has the index '${segment.index}', which would be lost with another type. Drop the index, change the " +
          "type, and build it anew."
      )
    }
  }
}
