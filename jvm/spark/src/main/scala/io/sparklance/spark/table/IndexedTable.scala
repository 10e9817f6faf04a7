package io.sparklance.spark.table

import java.util.{Map => JMap, Properties}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{IndexAlreadyExistsException, NoSuchIndexException}
import org.apache.spark.sql.connector.catalog.index.{SupportsIndex, TableIndex}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.index.{
  IndexBuild,
  IndexDrop,
  IndexRequest,
  IndexSummaries,
  IndexSummary,
  RequestedKind
}
import io.sparklance.spark.session.TableLocation

/** A table with Spark's statements `CREATE INDEX` and `DROP INDEX`. */
private[table] trait IndexedTable extends SupportsIndex {
  def location: TableLocation

  override def createIndex(
      indexName: String,
      columns: Array[NamedReference],
      columnProperties: JMap[NamedReference, JMap[String, String]],
      properties: JMap[String, String]
  ): Unit = translating {
    val settings = properties.asScala.toMap
    val kind = settings.getOrElse(SupportsIndex.PROP_TYPE, IndexedTable.DefaultKind)
    if (indexExists(indexName)) throw new IndexAlreadyExistsException(indexName, name, None)
    val request = IndexRequest(
      IndexedTable.path(columns, columnProperties),
      RequestedKind(kind, settings - SupportsIndex.PROP_TYPE),
      Some(indexName)
    )
    val _ = new IndexBuild(location).create(request)
  }

  override def dropIndex(indexName: String): Unit = translating {
    if (IndexDrop.drop(location, indexName).isEmpty) throw new NoSuchIndexException(indexName, name, None)
  }

  override def indexExists(indexName: String): Boolean = translating(indices.exists(_.name == indexName))

  override def listIndexes(): Array[TableIndex] = translating(indices.map(IndexedTable.shown).toArray)

  private def indices: Vector[IndexSummary] = IndexSummaries.of(Dataset.open(location.store, location.root))
}

private object IndexedTable {
  private val DefaultKind = "BTREE"

  /** Returns the path of the only column. */
  private def path(
      columns: Array[NamedReference],
      properties: JMap[NamedReference, JMap[String, String]]
  ): String = {
    if (columns.length != 1)
      throw new LanceUsageException(
        s"An index of a Lance table has one column, but ${columns.length} are named. Create an index for each."
      )
    if (properties.asScala.values.exists(!_.isEmpty))
      throw new LanceUsageException(
        "Indices of Lance tables have no settings of columns. Give settings with OPTIONS after the columns."
      )
    columns.head.fieldNames.mkString(".")
  }

  private def shown(index: IndexSummary): TableIndex = new TableIndex(
    index.name,
    index.kind,
    index.columns.map(Expressions.column).toArray,
    Map.empty[NamedReference, Properties].asJava,
    new Properties
  )
}
