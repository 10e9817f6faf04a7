package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.History
import io.sparklance.table.Manifest

object Versions extends LanceProcedure(
      "versions",
      "Lists the versions of a table and how large they are, newest first."
    ) {
  private val limit = Parameter.number("limit").optional
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, limit)

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, fragments BIGINT NOT NULL, rows BIGINT, " +
      "data_files BIGINT NOT NULL, deletion_files BIGINT NOT NULL, size BIGINT"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    Limited(new History(arguments.latest).commits, arguments(limit)).map { commit =>
      val fragments = commit.manifest.fragments
      val files = fragments.flatMap(_.files)
      Seq(
        commit.version,
        commit.timestamp,
        fragments.size.toLong,
        rows(commit.manifest),
        files.size.toLong,
        fragments.count(_.deletionFile.isDefined).toLong,
        Option.when(files.forall(_.size.isDefined))(files.flatMap(_.size).sum)
      )
    }

  /** None if the manifest does not tell, as those of old tables. */
  private def rows(manifest: Manifest): Option[Long] = {
    val live = manifest.fragments.map { f =>
      for {
        rows <- f.physicalRows
        deleted <- f.deletionFile.fold(Option(0L))(_.deletedRows)
      } yield rows - deleted
    }
    Option.when(live.forall(_.isDefined))(live.flatten.sum)
  }
}
