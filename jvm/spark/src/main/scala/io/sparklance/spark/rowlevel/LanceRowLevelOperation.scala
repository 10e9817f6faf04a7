package io.sparklance.spark.rowlevel

import java.util.Locale

import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.connector.write.{
  DeltaWriteBuilder,
  LogicalWriteInfo,
  RowLevelOperation,
  SupportsDelta
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.isolation.StatementReads
import io.sparklance.spark.session.Session

/** A DELETE, UPDATE or MERGE. Spark finds the rows, identifies deleted ones by address, and passes updated
  * and new ones in full. Unchanged rows are not rewritten.
  *
  * @param scan
  *   plans the scan of the changed version
  * @param write
  *   plans the write of updated and new rows, by what is known of the statement
  * @param inPlace
  *   decides whether columns are written in place
  */
final private[spark] class LanceRowLevelOperation(
    dataset: Dataset,
    override val command: Command,
    scan: CaseInsensitiveStringMap => ScanBuilder,
    write: (LogicalWriteInfo, StatementPlan) => LanceDeltaWrite,
    val inPlace: InPlaceColumns
) extends RowLevelOperation
    with SupportsDelta {
  LanceRowLevelOperation.refuseHidden(dataset)
  if (command != Command.DELETE) LanceRowLevelOperation.refuseNamesOfPlans(dataset)

  private var known = StatementPlan()

  /** Tells what the statement reads, before Spark plans the write. */
  def readBy(statement: StatementReads): Unit = known = known.copy(reads = Some(statement))

  /** Tells what the statement writes of the rows that it changes, likewise. */
  def writes(columns: Option[ColumnsPlan]): Unit = known = known.copy(columns = columns)

  override def description(): String = s"lance $command of ${dataset.root}"
  override def toString: String = description()

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    scan(options)
  }

  override def rowId(): Array[NamedReference] = Array(Expressions.column(MetadataColumn.RowAddr.name))

  /** Requests stable ids, so that updated rows keep them, and the other metadata columns: the statement may
    * name them, and Spark scans no others.
    */
  override def requiredMetadataAttributes(): Array[NamedReference] = {
    val ofVersions = Vector(MetadataColumn.RowCreatedAtVersion, MetadataColumn.RowLastUpdatedAtVersion)
    val columns =
      Vector(MetadataColumn.RowId, MetadataColumn.FragId) ++
        (if (dataset.hasStableRowIds) ofVersions else Nil)
    // A column of the table hides one of the same name.
    columns.filterNot(column => dataset.schema.fields.exists(field => Session.alike(field.name, column.name)))
      .map(column => Expressions.column(column.name): NamedReference).toArray
  }

  override def newWriteBuilder(info: LogicalWriteInfo): DeltaWriteBuilder = new DeltaWriteBuilder {
    override def build(): LanceDeltaWrite = translating {
      write(info, known)
    }
  }
}

private object LanceRowLevelOperation {

  /** Refuses a table with a column named like a metadata column: Spark would use that column instead. */
  private def refuseHidden(dataset: Dataset): Unit = for {
    ours <- Vector(MetadataColumn.RowAddr, MetadataColumn.RowId)
    theirs <- dataset.schema.fields.find(field => Session.alike(field.name, ours.name))
  } throw new UnsupportedLanceFeatureException(
    s"DELETE, UPDATE and MERGE in a table with a column named ${theirs.name}"
  )

  /** Refuses a table with a column named like one that Spark adds to the rows of these statements: it would
    * be written with Spark's values.
    */
  private def refuseNamesOfPlans(dataset: Dataset): Unit =
    dataset.schema.fields.map(_.name).find(isOfPlans).foreach { name =>
      throw new UnsupportedLanceFeatureException(
        s"UPDATE and MERGE in a table with a column named $name, the name of a column in Spark's plans of such statements"
      )
    }

  private def isOfPlans(name: String): Boolean =
    ofPlans.exists(Session.alike(_, name)) || name.toLowerCase(Locale.ROOT).startsWith(OriginalRowId)

  private val ofPlans = Vector("__row_operation", "__row_id", "__row_from_source", "__row_from_target")
  final private val OriginalRowId = "__original_row_id_"
}
