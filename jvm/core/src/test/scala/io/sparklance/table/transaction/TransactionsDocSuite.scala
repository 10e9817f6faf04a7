package io.sparklance.table.transaction

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

/** The table of bad input in docs/transactions.md names tests: they are there. */
class TransactionsDocSuite extends AnyFunSuite {
  private val row = """\|.*\| `(\w+)`: \*(.+)\* \|""".r

  private lazy val suites: Map[String, String] =
    Using.resource(Files.walk(Path.of("jvm/core/src/test/scala"))) { files =>
      files.iterator.asScala
        .filter(_.toString.endsWith("Suite.scala"))
        .map(file => file.getFileName.toString.stripSuffix(".scala") -> Files.readString(file))
        .toMap
    }

  test("every test that holds a promise about bad input is there") {
    val promises = Files.readString(Path.of("docs/transactions.md")).linesIterator.collect {
      case row(suite, name) =>
        assert(suites.get(suite).exists(_.contains(s""""$name"""")), s"$suite has no test '$name'")
    }
    assert(promises.size >= 15)
  }
}
