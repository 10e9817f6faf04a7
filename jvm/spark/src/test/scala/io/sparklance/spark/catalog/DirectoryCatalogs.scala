package io.sparklance.spark.catalog

import java.util.concurrent.atomic.AtomicInteger

import io.sparklance.spark.{LanceCatalog, SparkSuite}

/** Catalogs of directories, one for each test. */
trait DirectoryCatalogs extends SparkSuite {

  /** A catalog of its own, and the directory. */
  protected def withCatalog[A](body: (String, String) => A): A = at(freshPath())(body)

  protected def at[A](root: String)(body: (String, String) => A): A = {
    val name = s"lake${DirectoryCatalogs.count.incrementAndGet()}"
    spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
    spark.conf.set(s"spark.sql.catalog.$name.warehouse", root)
    body(name, root)
  }

  protected def names(statement: String): Seq[String] =
    sql(statement).collect().map(row => if (row.length == 1) row.getString(0) else row.getString(1)).toSeq

  protected def message(body: => Any): String = intercept[Exception](body).getMessage
}

object DirectoryCatalogs {
  private[catalog] val count = new AtomicInteger
}
