package io.sparklance.fuzz

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.file.{FileColumns, FileReader}
import io.sparklance.io.StorePath
import io.sparklance.testkit.MemoryStore

/** A sound table, to be damaged.
  *
  * @param files
  *   by their paths
  * @param unsupported
  *   columns that cannot be read anyhow
  * @param reading
  *   reads the damaged files, if they are not a table
  */
final case class Specimen(
    name: String,
    files: Map[String, Array[Byte]],
    unsupported: Set[String],
    content: TableContent,
    reading: Option[Damaged => Ending] = None
) {
  val paths: Vector[String] = files.keys.toVector.sorted
  val size: Long = files.values.map(_.length.toLong).sum
  val hasStatistics: Boolean =
    files.exists { case (path, bytes) => Container.of(path, bytes).exists(_.statistics.nonEmpty) }
}

object Specimen {
  final val Root = "/table"

  /** Files whose columns are their schema's fields, so that a table is easily put around them. */
  private val flatFiles = """(flat|many)_.*\.lance""".r

  /** The tables and data files in `tests/golden`, by name. */
  def golden(directory: Path): Vector[Specimen] = {
    val tables = children(directory.resolve("tables")).map { table =>
      of(table.getFileName.toString, tableFiles(table))
    }
    val files = children(directory)
      .filter(file => flatFiles.matches(file.getFileName.toString))
      .map(file => of(file.getFileName.toString, aroundFile(Files.readAllBytes(file))))
    (tables ++ files).sortBy(_.name)
  }

  def store(files: Map[String, Array[Byte]]): MemoryStore = {
    val store = new MemoryStore
    files.foreach { case (path, bytes) => store.put(path, bytes) }
    store
  }

  private def of(name: String, files: Map[String, Array[Byte]]): Specimen = {
    val sound = store(files)
    val columns = Dataset.open(sound, Root).schema.fields.map(_.name)
    val unsupported = columns.filterNot(column => isSupported(files, columns.toSet - column)).toSet
    Specimen(name, files, unsupported, TableContent.read(sound, Root, unsupported))
  }

  private def isSupported(files: Map[String, Array[Byte]], without: Set[String]): Boolean =
    try {
      val _ = TableContent.read(store(files), Root, without)
      true
    } catch { case _: UnsupportedLanceFeatureException => false }

  private def children(directory: Path): Vector[Path] =
    Using.resource(Files.list(directory))(_.iterator.asScala.toVector)

  private def tableFiles(table: Path): Map[String, Array[Byte]] =
    Using.resource(Files.walk(table))(_.iterator.asScala.filter(Files.isRegularFile(_)).toVector).map { file =>
      StorePath.join(Root, table.relativize(file).iterator.asScala.map(_.toString).toSeq: _*) ->
        Files.readAllBytes(file)
    }.toMap

  /** A table of one data file. */
  private def aroundFile(bytes: Array[Byte]): Map[String, Array[Byte]] = {
    val made = new MemoryStore
    val path = StorePath.join(Root, "data", "file.lance")
    made.put(path, bytes)
    Using.resource(FileReader.open(made, path, None)) { reader =>
      val ids = FileColumns.of(reader.schema, reader.version).map(_.id)
      val file =
        WrittenFile(
          "file.lance",
          ids,
          ids.indices.toVector,
          reader.version,
          bytes.length.toLong,
          reader.numRows
        )
      val _ = Dataset.create(made, Root, TableDefinition(reader.schema, reader.version), Vector(file))
    }
    made.paths.map(path => path -> made.bytes(path)).toMap
  }
}
