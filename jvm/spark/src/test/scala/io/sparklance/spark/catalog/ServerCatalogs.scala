package io.sparklance.spark.catalog

import scala.util.Using

import org.scalactic.source.Position
import org.scalatest.Tag

import io.sparklance.spark.{LanceCatalog, Ring}

/** Catalogs behind a server on this machine, one for each test. */
trait ServerCatalogs extends DirectoryCatalogs {

  protected def managesVersions: Boolean = true

  override protected def at[A](root: String)(body: (String, String) => A): A =
    withServer(root)((catalog, _) => body(catalog, root))

  /** A catalog and its server. */
  protected def withServer[A](root: String = freshPath(), options: Map[String, String] = Map.empty)(
      body: (String, SpecServer) => A
  ): A = Using.resource(new SpecServer(root, managesVersions)) { server =>
    val name = s"lake${DirectoryCatalogs.count.incrementAndGet()}"
    spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
    (options + ("uri" -> server.uri)).foreach { case (key, value) =>
      spark.conf.set(s"spark.sql.catalog.$name.$key", value)
    }
    body(name, server)
  }
}

/** The statements of [[DirectoryCatalogSuite]], in catalogs behind a server that manages versions: all of
  * them, or those that create tables.
  */
final class ServerCatalogSuite extends DirectoryCatalogSuite with ServerCatalogs {
  override protected def test(name: String, tags: Tag*)(body: => Any)(implicit position: Position): Unit =
    super.test(name, (if (name.startsWith("CREATE TABLE AS SELECT")) tags else tags :+ Ring.Cross): _*)(body)
}
