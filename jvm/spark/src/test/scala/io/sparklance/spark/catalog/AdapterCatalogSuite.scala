package io.sparklance.spark.catalog

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.file.{Files, Path}

import scala.util.Using

import org.scalactic.source.Position
import org.scalatest.Tag

import io.sparklance.spark.{LanceCatalog, Ring}

/** The statements of [[DirectoryCatalogSuite]], in catalogs behind pylance's server, if `--full` asks for it.
  * Left out are those that this server lacks (rename), or does in its own way (registration), which
  * tests/interop/test_shared_catalogs.py shows.
  */
final class AdapterCatalogSuite extends DirectoryCatalogSuite {
  import AdapterCatalogSuite._

  override protected def test(name: String, tags: Tag*)(body: => Any)(implicit position: Position): Unit =
    if (!Lacking.exists(name.startsWith)) super.test(name, tags :+ Ring.Cross: _*)(body)

  override protected def at[A](root: String)(body: (String, String) => A): A = {
    assume(Files.exists(Python), "pylance's server needs .venv")
    Files.createDirectories(Path.of(root))
    Using.resource(new Adapter(root)) { adapter =>
      val name = s"lake${DirectoryCatalogs.count.incrementAndGet()}"
      spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
      spark.conf.set(s"spark.sql.catalog.$name.uri", adapter.uri)
      body(name, root)
    }
  }
}

private object AdapterCatalogSuite {
  private val Python = Path.of(".venv/bin/python")
  private val Lacking = Seq("ALTER TABLE RENAME TO", "CALL register_table")

  /** Serves a directory until its input ends. */
  private val Script = """import sys, lance.namespace
with lance.namespace.RestAdapter("dir", {"root": sys.argv[1]}, port=0) as adapter:
    print(adapter.port, flush=True)
    sys.stdin.read()
"""

  final class Adapter(root: String) extends AutoCloseable {
    private val process = new ProcessBuilder(Python.toString, "-c", Script, root)
      .redirectError(ProcessBuilder.Redirect.INHERIT).start()
    val uri: String =
      s"http://127.0.0.1:${new BufferedReader(new InputStreamReader(process.getInputStream)).readLine()}"

    override def close(): Unit = {
      new PrintStream(process.getOutputStream).close()
      val _ = process.waitFor()
    }
  }
}
