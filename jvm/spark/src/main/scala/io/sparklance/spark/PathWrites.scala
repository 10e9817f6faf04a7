package io.sparklance.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.catalog.LanceCatalog
import io.sparklance.spark.write.Publication

/** `df.write.format("lance").mode(…).save(path)`, told in the words of `df.writeTo`. */
private[spark] object PathWrites {

  def save(mode: SaveMode, options: CaseInsensitiveStringMap, data: DataFrame): Unit = {
    refuseLayout(options)
    val commit = LanceOptions.forWrite(options).commit
    val location = PathOptions.location(options)
    // Of a path among the options Spark would make the table's LOCATION, which its name has told already.
    val table = data
      .writeTo(s"${catalog(data.sparkSession)}.`${location.root.replace("`", "``")}`")
      .options(options.asCaseSensitiveMap.asScala.filterNot(_._1.equalsIgnoreCase("path")))
    val exists = Dataset.exists(location.store, location.root)
    mode match {
      // The query need not even run.
      case SaveMode.Append | SaveMode.Overwrite if exists && isDone(location, commit) => ()
      case SaveMode.Append if exists => table.append()
      case SaveMode.Append => table.create()
      case SaveMode.Overwrite => table.using(LanceTable.Provider).createOrReplace()
      case SaveMode.Ignore if exists => ()
      case SaveMode.Ignore => table.create()
      case SaveMode.ErrorIfExists if exists =>
        throw new LanceUsageException(
          s"There is a Lance table at ${location.root} already. Choose another path, or a mode: append, overwrite, ignore."
        )
      case SaveMode.ErrorIfExists => table.create()
    }
  }

  private def isDone(location: TableLocation, commit: CommitOptions): Boolean =
    commit.batch.isDefined && Publication.isDone(Dataset.open(location.store, location.root), commit)

  private def refuseLayout(options: CaseInsensitiveStringMap): Unit = {
    val asked = Map("__partition_columns" -> "partitionBy", "__clustering_columns" -> "clusterBy")
    asked.find { case (key, _) => options.containsKey(key) }.foreach { case (_, method) =>
      throw noLayout(method)
    }
  }

  def noLayout(clause: String): LanceUsageException = new LanceUsageException(
    s"A Lance table has no partitions, so $clause has no meaning for it. Leave it out; a sort or repartition of the " +
      "rows before the write is kept by the files."
  )

  /** The name of our catalog. The extension has registered it, unless the jar came too late for extensions. */
  private def catalog(session: SparkSession): String = {
    val key = s"spark.sql.catalog.${LanceTable.Provider}"
    session.conf.getOption(key) match {
      case None => session.conf.set(key, classOf[LanceCatalog].getName)
      case Some(name) if name == classOf[LanceCatalog].getName => ()
      case Some(other) =>
        throw new LanceUsageException(
          s"The catalog named '${LanceTable.Provider}' is a $other, through which format(\"lance\") cannot write. " +
            s"Unset $key or give that catalog another name."
        )
    }
    LanceTable.Provider
  }
}
