package io.sparklance.spark.write

import java.nio.file.{Files, Path}
import java.util.Comparator

import org.apache.spark.sql.streaming.{DataStreamWriter, Trigger}
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.spark.SparkSuite

/** Streams of JSON files. */
trait FileStreams { this: SparkSuite =>

  /** A directory of JSON files, of which each is a batch.
    *
    * @param schema
    *   of the rows
    */
  final class Source(schema: String = "id BIGINT") {
    private val directory = Files.createDirectories(Path.of(freshPath()))
    val checkpoint: String = freshPath()

    def add(name: String, ids: Range): Unit = add(name, ids.map(i => s"""{"id":$i}"""): _*)

    def add(name: String, rows: String*): Unit = {
      val _ = Files.writeString(directory.resolve(name), rows.mkString("\n"))
    }

    def rows: DataFrame =
      spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(directory.toString)

    /** Lets Spark believe that it did not see the last epoch end. */
    def forgetLastCommit(): Unit = {
      val last = files("commits").filterNot(_.getFileName.toString.startsWith(".")).last
      Files.delete(last)
      val _ = Files.deleteIfExists(last.resolveSibling(s".${last.getFileName}.crc"))
    }

    /** Lets Spark begin again with the first epoch. */
    def forgetEpochs(): Unit = Seq("commits", "offsets", "sources/0").flatMap(files).foreach(Files.delete)

    private def files(kind: String): Seq[Path] = {
      val all = Files.list(Path.of(checkpoint, kind))
      try all.sorted(Comparator.naturalOrder[Path]).toArray(new Array[Path](_)).toSeq
      finally all.close()
    }
  }

  def writing(source: Source, rows: DataFrame): DataStreamWriter[Row] =
    rows.writeStream.trigger(Trigger.AvailableNow()).option("checkpointLocation", source.checkpoint)
}
