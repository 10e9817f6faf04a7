package io.sparklance.spark.published

import java.nio.file.{Files, Path}

import scala.util.Try

import org.apache.hadoop.fs.FileUtil
import org.apache.spark.SparkConf
import org.apache.spark.sql.internal.StaticSQLConf
import org.apache.spark.sql.test.SharedSparkSession
import org.scalactic.source.Position
import org.scalatest.Tag

import io.sparklance.spark.{LanceCatalog, LanceExtensions}

/** A suite that Spark has published, on catalogs of ours. Its tests are as they are; those that cannot pass
  * are in [[Refused]]: a full run sees them fail as they should, others leave them out.
  */
trait PublishedSuite extends SharedSparkSession {

  /** Location of this suite's tables. */
  protected lazy val scratch: Path = Files.createTempDirectory("sparklance-published")

  override def sparkConf: SparkConf = super.sparkConf
    .set(StaticSQLConf.SPARK_SESSION_EXTENSIONS.key, classOf[LanceExtensions].getName)
    .set(StaticSQLConf.WAREHOUSE_PATH.key, scratch.resolve("warehouse").toString)

  /** Settings of a catalog that is a directory. */
  protected def directory(catalog: String): Seq[(String, String)] = Seq(
    s"spark.sql.catalog.$catalog" -> classOf[LanceCatalog].getName,
    s"spark.sql.catalog.$catalog.warehouse" -> scratch.resolve(catalog).toString
  )

  /** Takes all tables and namespaces of such a catalog away. */
  protected def empty(catalog: String): Unit = {
    val _ = FileUtil.fullyDelete(scratch.resolve(catalog).toFile)
  }

  /** Objects that exist before a test begins. */
  protected def prepare(): Unit = ()

  override def test(name: String, tags: Tag*)(body: => Any)(implicit position: Position): Unit = {
    val why = Refused.of(getClass).get(name)
    super.test(name, tags ++ why.map(_ => Tag("cross")): _*) {
      prepare()
      why.fold[Any](body)(refused(name, _)(body))
    }
  }

  private def refused(name: String, why: Refused.Reason)(body: => Any): Unit = {
    if (Try(body).isSuccess) fail(s"'$name' passes by now: take it out of Refused.")
    cancel(why.text)
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally { val _ = FileUtil.fullyDelete(scratch.toFile) }
}
