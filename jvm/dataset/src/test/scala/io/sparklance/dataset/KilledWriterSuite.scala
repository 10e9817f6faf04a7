package io.sparklance.dataset

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.io.LocalStore
import io.sparklance.table.Versions
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.Ring
import io.sparklance.testkit.TableFixtures._

/** A process that commits without end is killed (SIGKILL) at random moments: a few times, 100 with
  * `./dev test --full`.
  */
class KilledWriterSuite extends AnyFunSuite {
  private val times = if (Ring.isFull) 100 else 3

  test(
    "whenever a writer is killed, the table is whole: as it was before the commit, or after it",
    Ring.Process
  ) {
    val root = Files.createTempDirectory("killed").resolve("t.lance")
    val files = Vector(written("first"))
    Dataset.create(LocalStore, root.toString, TableDefinition(schema, FileVersion.V2_2), files)
    (1 to times).foreach { i =>
      val before = Dataset.open(LocalStore, root.toString).version
      val (told, rows) = killed(root, Random.nextInt(150).toLong)
      val version = told.getOrElse(before)
      val table = Dataset.open(LocalStore, root.toString)
      val clue =
        s"kill $i: reported version $version, then $rows rows; found ${table.version} with ${table.countRows}"
      assert(table.version == version || table.version == version + 1, clue)
      if (table.version == version + 1) assert(table.countRows == rows, clue)
      isWhole(table)
    }
  }

  /** Returns the version that a writer reported last, if any, and the rows that it was about to write. */
  private def killed(root: Path, afterMillis: Long): (Option[Long], Long) = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val command = Seq(java, "-XX:TieredStopAtLevel=1", "-cp", sys.props("java.class.path")) ++
      Seq("io.sparklance.testkit.EndlessWriter", root.toString)
    val told = Files.createTempFile("killed", ".txt")
    val process =
      new ProcessBuilder(command.asJava).redirectErrorStream(true).redirectOutput(told.toFile).start()
    while (last(told, "rows").isEmpty && process.isAlive) Thread.sleep(5)
    Thread.sleep(afterMillis)
    assert(process.isAlive, s"the writer failed by itself: ${Files.readString(told)}")
    process.destroyForcibly().waitFor()
    (last(told, "version"), last(told, "rows").get)
  }

  /** The number behind that word, said last. A process may be killed amid a line. */
  private def last(told: Path, word: String): Option[Long] = {
    val text = Files.readString(told)
    val whole = text.take(text.lastIndexOf('\n') + 1).linesIterator
    whole.filter(_.matches(s"$word [0-9]+")).toVector.lastOption.map(_.split(' ')(1).toLong)
  }

  /** All that the manifest names is there, and tells the same. */
  private def isWhole(table: Dataset): Unit = {
    val stored = new Versions(LocalStore, table.root)
    val whole = stored.readWhole(stored.latest().get)
    assert(whole.transaction.nonEmpty)
    assert(Files.exists(Path.of(table.root, "_transactions", whole.manifest.message.transactionFile)))
    val counted =
      table.fragments.map(f => f.physicalRows.get - table.deletionVector(f).fold(0L)(_.cardinality)).sum
    val _ = assert(counted == table.countRows)
  }
}
