package io.sparklance.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.SourceRoots

/** Compares docs/api.md with the source files. */
final class ApiSuite extends AnyFunSuite {
  private val Listed = """\| `(io\.sparklance\.[\w.]+)` \|.*""".r
  private val Definition =
    """((?:(?:final|sealed|abstract|private(?:\[\w+\])?|case|implicit) )*)(?:class|object|trait|type) (\w+).*""".r

  test("docs/api.md lists the public classes of the Spark module, and no other ones") {
    assert(listed.filter(_.startsWith("io.sparklance.spark.")) == publicIn(SourceRoots.ofSpark))
  }

  test("the classes of core that docs/api.md lists are public") {
    val core = listed.filterNot(_.startsWith("io.sparklance.spark."))
    assert(core.nonEmpty && core.diff(SourceRoots.ofCore.flatMap(publicIn).toSet).isEmpty)
  }

  private def listed: Set[String] =
    Files.readAllLines(Path.of("docs/api.md")).asScala.collect { case Listed(name) => name }.toSet

  /** The full names of the types that files below `root` define without `private`. */
  private def publicIn(root: String): Set[String] = {
    val files = Files.walk(Path.of(root))
    try
      files.iterator.asScala.filter(_.toString.endsWith(".scala")).flatMap { file =>
        val lines = Files.readAllLines(file).asScala
        val home = lines.collectFirst { case line if line.startsWith("package ") => line.drop(8).trim }
        lines.collect {
          case Definition(modifiers, name) if !modifiers.contains("private") => s"${home.get}.$name"
        }
      }.toSet
    finally files.close()
  }
}
