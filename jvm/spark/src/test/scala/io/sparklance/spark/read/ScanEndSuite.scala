package io.sparklance.spark.read

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparklance.spark.SparkSuite

class ScanEndSuite extends SparkSuite {
  private lazy val table: String = {
    val path = freshPath()
    spark.range(200000).selectExpr("id", "cast(id as string) s").write.format("lance").save(path)
    path
  }

  /** Files of the table that this process has open, as Linux tells. */
  private def openFiles: Vector[String] = {
    val descriptors = Path.of("/proc/self/fd")
    assume(Files.exists(descriptors))
    val listing = Files.list(descriptors)
    try
      listing.iterator.asScala.flatMap(d => Try(Files.readSymbolicLink(d).toString).toOption).filter(
        _.startsWith(table)
      ).toVector
    finally listing.close()
  }

  for (ahead <- Seq("0", "1m")) {
    def read = spark.read.format("lance").option("readAheadBytes", ahead).load(table)

    test(s"a query that needs few rows leaves no file open, reading $ahead ahead") {
      assert(read.limit(3).collect().length == 3)
      assert(read.where("id < 5").head(2).length == 2)
      eventually(assert(openFiles.isEmpty))
    }

    test(s"a query that is cancelled leaves no file open, reading $ahead ahead") {
      val context = spark.sparkContext
      @volatile var outcome = Option.empty[Try[Any]]
      val query = new Thread(() => {
        context.setJobGroup(s"cancelled $ahead", "to be cancelled", interruptOnCancel = true)
        val slow = read.rdd.map { row => Thread.sleep(1); row.getLong(0) }
        outcome = Some(Try(slow.count()))
      })
      query.start()
      // Planning opens files, too, and a job that has not begun is not cancelled.
      eventually(assert(context.statusTracker.getJobIdsForGroup(s"cancelled $ahead").nonEmpty))
      eventually(assert(openFiles.nonEmpty))
      context.cancelJobGroup(s"cancelled $ahead")
      query.join()
      assert(outcome.exists(_.isFailure))
      eventually(assert(openFiles.isEmpty))
      assert(read.count() == 200000)
    }
  }
}
