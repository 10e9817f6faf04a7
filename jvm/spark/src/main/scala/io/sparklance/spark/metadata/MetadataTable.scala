package io.sparklance.spark.metadata

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownLimit,
  SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.dataset.Dataset
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.PathOptions
import io.sparklance.spark.session.TableLocation

/** A metadata table for one version of a table. */
final private[spark] class MetadataTable(
    override val name: String,
    location: TableLocation,
    dataset: Dataset,
    kind: MetadataKind
) extends Table
    with SupportsRead {
  override def schema(): StructType = kind.schema
  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)
  override def toString: String = s"$name (${kind.name} of $location, version ${dataset.version})"

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    PathOptions.checkRead(options)
    new Builder
  }

  private def identity = (name, location, kind.name, dataset.version, dataset.timestamp)

  override def equals(other: Any): Boolean = other match {
    case that: MetadataTable => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode

  final private class Builder extends ScanBuilder with SupportsPushDownRequiredColumns
      with SupportsPushDownLimit {
    private var columns = kind.schema.fieldNames.toVector
    private var limit: Option[Int] = None

    override def pruneColumns(required: StructType): Unit = columns = required.fieldNames.toVector

    override def pushLimit(rows: Int): Boolean = {
      limit = Some(rows)
      true
    }

    // Each task of a scan applies the limit by itself.
    override def isPartiallyPushed: Boolean = true

    override def build(): Scan = translating {
      kind.scan(location, dataset, columns, limit)
    }
  }
}
