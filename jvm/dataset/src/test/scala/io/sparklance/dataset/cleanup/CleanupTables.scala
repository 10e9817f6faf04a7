package io.sparklance.dataset.cleanup

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant}
import java.util.Comparator

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.{Dataset, RowOperations, TableDefinition}
import io.sparklance.io.{LocalStore, ObjectStore}
import io.sparklance.table.Versions
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.TableFixtures._

/** Tables on the local disk, and their clean-up. */
trait CleanupTables {
  protected val all = CleanupPolicy(olderThan = Some(Duration.ZERO))
  protected val week = Duration.ofDays(7)

  protected def withTable(test: Table => Any): Unit = {
    val directory = Files.createTempDirectory("sparklance")
    try {
      val _ = test(new Table(directory.resolve("t")))
    } finally
      Using.resource(Files.walk(directory))(_.sorted(Comparator.reverseOrder[Path]).forEach { path =>
        val _ = Files.deleteIfExists(path)
      })
  }

  /** A table whose data files have no contents. */
  protected class Table(val path: Path) {
    val root: String = path.toString

    def open(store: ObjectStore = LocalStore, version: Option[Long] = None): Dataset =
      Dataset.open(store, root, version)

    def put(name: String, age: Duration = Duration.ZERO): Unit = {
      val file = path.resolve(name)
      Files.createDirectories(file.getParent)
      Files.write(file, new Array[Byte](100))
      val _ = Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)))
    }

    def create(names: String*): Dataset = {
      names.foreach(name => put(s"data/$name.lance"))
      Dataset.create(
        LocalStore,
        root,
        TableDefinition(schema, FileVersion.V2_2),
        names.map(n => written(s"$n.lance")).toVector
      )
    }

    def append(name: String): Dataset = {
      put(s"data/$name.lance")
      open().append(Vector(written(s"$name.lance")))
    }

    def replace(name: String): Dataset = {
      put(s"data/$name.lance")
      open().overwrite(schema, FileVersion.V2_2, Vector(written(s"$name.lance")))
    }

    def delete(row: Long): Dataset = {
      val latest = open()
      val address = RowRanges.ofRows(Array(RowAddress.of(latest.fragments.head.id, row)))
      latest.commit(RowOperations.delete(latest, address, "one")).dataset
    }

    /** Paths below the root, but for manifests and the hint. */
    def files: Set[String] = Using.resource(Files.walk(path)) { paths =>
      paths.iterator.asScala.filter(Files.isRegularFile(_)).map(path.relativize(_).toString).toSet
    }.filterNot(_.startsWith("_versions/")).filterNot(_.startsWith("_transactions/"))

    def versions: Vector[Long] = new Versions(LocalStore, root).list().map(_.version)

    def clean(policy: CleanupPolicy = all, store: ObjectStore = LocalStore): CleanupResult = {
      // Manifests are dated by this clock, too, and only older ones go.
      Thread.sleep(2)
      new Cleanup(open(store), policy).run()
    }
  }
}
