package io.sparklance.benchmarks

import scala.collection.mutable
import scala.io.StdIn
import scala.util.{Random, Using}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.io.{IoStats, LocalStore, ReadTuning}

/** Times taking random rows by their addresses, all columns of them, without Spark: a worker of `./dev bench
  * take`. The argument is the folder of the data.
  * {{{
  * {"case": "lineitem 100 20", "contender": "core"}    →    @ {"seconds": 0.061, "requests": 32.5}
  * }}}
  * The case names a table, a number of rows, and milliseconds by which each request is delayed. The answer is
  * the median of some takes of other rows each, and the mean of their requests.
  */
object TakeTimes {
  private val Takes = 20

  /** Rows that are taken before the first measurement: a JVM compiles code after some thousand runs. */
  private val WarmUpRows = 2000
  private val isNew = mutable.Set.empty[(String, String)]
  private val Request = """.*"case": "(\w+) (\d+) (\d+)".*""".r

  def main(args: Array[String]): Unit = {
    val random = new Random(11)
    Iterator.continually(StdIn.readLine()).takeWhile(_ != null).foreach {
      case Request(table, rows, millis) =>
        val store =
          if (millis == "0") LocalStore else new DistantStore(millis.toLong, ReadTuning())
        val dataset = Dataset.open(store, s"${args(0)}/$table-2.2.lance")
        def some() = addresses(dataset, rows.toInt, random)
        if (millis == "0" && isNew.add(table -> rows))
          (0 until WarmUpRows / rows.toInt).foreach(_ => take(dataset, some()))
        val measured = Vector.fill(Takes)(some()).map { wanted =>
          val start = System.nanoTime()
          val requests = take(dataset, wanted).requests
          CoreScan.secondsSince(start) -> requests
        }
        val median = measured.map(_._1).sorted.apply(Takes / 2)
        println(s"""@ {"seconds": $median, "requests": ${measured.map(_._2).sum.toDouble / Takes}}""")
      case line => println(s"""@ {"error": "not known: ${line.replace('"', '\'')}"}""")
    }
  }

  private def take(dataset: Dataset, addresses: Array[Long]): IoStats =
    Using.resource(dataset.take(addresses, dataset.schema.fields)) { reader =>
      while (reader.next()) {}
      reader.stats.io
    }

  private def addresses(dataset: Dataset, rows: Int, random: Random): Array[Long] = Array.fill(rows) {
    val fragment = dataset.fragments(random.nextInt(dataset.fragments.size))
    RowAddress.of(fragment.id, random.nextLong(fragment.physicalRows.getOrElse(1L)))
  }
}
