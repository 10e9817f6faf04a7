package io.sparklance.table.transaction

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

/** The test of each promise in docs/damaged-tables.md. */
class TransactionsDocSuite extends AnyFunSuite {

  /** The input of each row of the page and the name of its test, by suite. */
  private val tests: Map[String, Seq[(String, String)]] = Map(
    "BadHistorySuite" -> Seq(
      "an unknown reader flag" ->
        "flags that are not known: of readers when the table is opened, of writers when it is written to",
      "manifests named by both schemes" ->
        "manifests named by both schemes: which versions are the last of each, and what to do",
      "a version without a transaction or transaction file" ->
        "a version without its transaction is read, and in the way of commits that were begun before it",
      "a version that clean-up removed" ->
        "a version that was cleaned up, and a tag of it",
      "a hint that is stale, ahead or not JSON" ->
        "a hint and detached versions say nothing of the latest version",
      "a data file's path that is absolute, has a scheme, or `..`" ->
        "a data file of another version, or one whose path leads out of the table",
      "a deletion file in a base that is not a table, or not listed" ->
        "a deletion file in a base that the manifest does not list, or that is no table"
    ),
    "CommitLoopSuite" -> Seq(
      "an unknown writer flag, also if set after the table was opened" ->
        "a table with a flag that is not honoured is not written to",
      "the name of a transaction file outside its directory" ->
        "a transaction is not looked for outside of its directory",
      "a table that was dropped, or dropped and created again, since the read" ->
        "a table that was dropped, or dropped and created again, is not written to"
    ),
    "DeletionFilesSuite" -> Seq(
      "a deletion file with rows beyond the fragment, or another count than the manifest" ->
        "a row beyond the fragment, or another number of rows than the manifest's, is bad data"
    ),
    "ExternalManifestsSuite" -> Seq(
      "a version with a database record and a staged manifest" ->
        "a reader that cannot finish a commit refuses the table",
      "a database record with a manifest outside the table" ->
        "a record that leads elsewhere is bad data, and nothing is written"
    ),
    "FeatureFlagsSuite" -> Seq(
      "a flag for readers and writers that only one of them has" ->
        "the flag for files of several versions is set for readers and writers, or the manifest is bad",
      "a data file of another file version than the table, without the flag for it" ->
        "a data file of another version needs the flag for it",
      "stable row ids that are missing for a fragment" ->
        "a table of the reference with stable row ids is readable and writable, but not if some rows lack theirs"
    ),
    "HiddenLineageSuite" -> Seq(
      "row ids or row versions in a hidden column that is missing or not numeric" ->
        "a hidden column that is missing, or not one of numbers, is bad data"
    ),
    "HistoricFaultsSuite" -> Seq(
      "faults of old releases in row counts, field ids, bitmaps or file versions" ->
        "row counts are removed only from a manifest that names no writer"
    ),
    "OperationCodecSuite" -> Seq(
      "an unknown operation" ->
        "an operation that no field of ours holds is unknown, not an error"
    ),
    "RecreatedTableSuite" -> Seq(
      "a read version that clean-up removed, without other evidence of the table's identity" ->
        "a read version that was cleaned up, without a record of its table, is a retryable conflict"
    ),
    "RefsSuite" -> Seq(
      "the file of a tag or branch that is not JSON, lacks a key, or has an invalid name" ->
        "damaged files are bad data that names them"
    ),
    "TableRefsSuite" -> Seq(
      "a tag of a removed version, or with an invalid branch name" ->
        "a tag that points to a version that is gone, or to a branch whose name leads elsewhere, is an error",
      "a branch's table that was moved" ->
        "a branch in a directory of another name does not find its table",
      "an interrupted creation of a branch" ->
        "nothing is cloned to where there is a table"
    ),
    "VersionsSuite" -> Seq(
      "a manifest whose version differs from its name" ->
        "a manifest whose version is not that of its name is refused",
      "a version that is removed during the read" ->
        "a version that is removed before it is read is not found",
      "a detached version" ->
        "versions are listed in ascending order; other files, detached versions and the hint do not count"
    )
  )

  private lazy val suites: Map[String, String] =
    Seq("table", "dataset").flatMap { module =>
      Using.resource(Files.walk(Path.of(s"jvm/$module/src/test/scala"))) { files =>
        files.iterator.asScala
          .filter(_.toString.endsWith("Suite.scala"))
          .map(file => file.getFileName.toString.stripSuffix(".scala") -> Files.readString(file))
          .toVector
      }
    }.toMap

  test("every promise about bad input has its test") {
    val inputs = Files.readString(Path.of("docs/damaged-tables.md")).linesIterator
      .filter(_.startsWith("| ")).map(_.split('|')(1).trim).drop(1).toSeq
    assert(inputs.sorted == tests.values.flatten.map(_._1).toSeq.sorted)
    for ((suite, promises) <- tests; (_, name) <- promises)
      assert(suites.get(suite).exists(_.contains(s""""$name"""")), s"$suite has no test '$name'")
  }
}
