package io.sparklance.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.connector.catalog.{Column, TableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.LongType

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions

final class StagedLanceTableSuite extends SparkSuite {

  test("a metastore failure after the commit loses no rows") {
    val path = freshPath()
    spark.range(3).write.format("lance").save(path)
    val location = StoreOptions.locate(path)
    val request = TableRequest.of(
      Array(Column.create("id", LongType)),
      Array.empty[Transform],
      Map(TableCatalog.PROP_PROVIDER -> "lance").asJava
    )
    var undone = false
    val hook = new CatalogHook {
      def settle(): Unit = throw new IllegalStateException("the metastore is away")
      def undo(): Unit = undone = true
    }
    val staged = new StagedLanceTable(
      "t",
      location,
      request,
      Some(Dataset.open(LocalStore, location.root)),
      hook
    )
    val write = staged.newWriteBuilder(StagedLanceTableSuite.info).build().toBatch
    val writer = write.createBatchWriterFactory(null)
      .asInstanceOf[org.apache.spark.sql.connector.write.DataWriterFactory].createWriter(0, 0)
    writer.write(org.apache.spark.sql.catalyst.InternalRow(7L))
    write.commit(Array(writer.commit()))
    assert(intercept[IllegalStateException](
      staged.commitStagedChanges()
    ).getMessage == "the metastore is away")
    staged.abortStagedChanges()
    assert(!undone)
    assert(rows(load(path)) == Set(Row(7L)))
  }
}

object StagedLanceTableSuite {
  import org.apache.spark.sql.connector.write.LogicalWriteInfo
  import org.apache.spark.sql.types.StructType
  import org.apache.spark.sql.util.CaseInsensitiveStringMap

  private val info = new LogicalWriteInfo {
    override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
    override def queryId(): String = "q"
    override def schema(): StructType = new StructType().add("id", LongType)
  }
}
