package io.sparklance.soak

import java.nio.file.Path

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.table.Versions

/** The part of `./dev soak` that is a JVM without Spark.
  * {{{
  * commit <table> <logs> <commits> <workers in all> <worker>…    some workers, a thread each
  * recreate <table> <tables> <writers>                           drops and recreates a table, see Recreation
  * tell <table>                                                  a line for each version, see RowsOf.told
  * }}}
  */
object SoakMain {

  def main(args: Array[String]): Unit = args match {
    case Array("commit", table, logs, commits, all, mine @ _*) =>
      val threads = mine.map { number =>
        val race = new Race(Path.of(logs), number.toInt, all.toInt, commits.toInt)
        new Thread(() => stoppingAll(race)(new Committer(table, race, number.toInt).run()))
      }
      threads.foreach(_.start())
      threads.foreach(_.join())
    case Array("recreate", table, tables, writers) =>
      new Recreation(table, tables.toInt, writers.toInt).run()
    case Array("tell", table) =>
      new Versions(LocalStore, table).list().foreach { file =>
        println(RowsOf.told(Dataset.open(LocalStore, table, Some(file.version))))
      }
    case other => throw new IllegalArgumentException(other.mkString(" "))
  }

  private def stoppingAll(race: Race)(body: => Unit): Unit =
    try body
    catch {
      case e: Throwable =>
        e.printStackTrace()
        race.fail()
        Runtime.getRuntime.halt(1)
    }
}
