package io.sparklance.fuzz

import java.nio.file.Paths

import io.sparklance.index.vector.VectorSpecimen

/** The program of `./dev fuzz`: `--seed S`, `--of texts` or `--of vectors` for the files of indices, and one
  * of `--cases N`, `--minutes M` and `--case N`, which prints one case.
  */
object FuzzMain {
  def main(arguments: Array[String]): Unit = {
    val options = arguments.grouped(2).collect { case Array(name, value) => name -> value }.toMap
    val seed = options.get("--seed").fold(System.nanoTime() & 0xffffff)(_.toLong)
    val started = System.nanoTime()
    val (fuzz, tables) = subject(options.getOrElse("--of", "tables"), seed)
    val numbers = options.get("--case").map(_.toLong) match {
      case Some(single) => Iterator.single(single)
      case None => many(options)
    }
    val tally = new Tally
    println(s"seed $seed, $tables tables")
    new FuzzRun(
      fuzz,
      numbers,
      { some =>
        tally.add(some)
        if (options.contains("--case") || isFailure(some) || wants(options, some)) println(some.print(seed))
      }
    ).await()
    println(tally.print)
    println(s"${(System.nanoTime() - started) / 1000000000L} s")
    if (tally.failures > 0) sys.exit(1)
  }

  /** Returns what runs a case, and the number of tables that it damages. */
  private def subject(name: String, seed: Long): (Long => Case, Int) = {
    val golden = Paths.get("tests/golden")
    name match {
      case "tables" =>
        val specimens = Specimen.golden(golden)
        (new Fuzzer(specimens, seed).run, specimens.size)
      case "vectors" => (new Fuzzer(Vector(VectorSpecimen.golden), seed).run, 1)
      case "texts" =>
        val specimens = TextSpecimens.golden(golden.resolve("text"))
        (new IndexFuzzer(specimens, seed).run, specimens.size)
    }
  }

  private def isFailure(some: Case): Boolean = some.ending match {
    case Ending.Failed(_) => true
    case Ending.Unharmed | Ending.Differs(_) | Ending.Refused(_) => false
  }

  private def wants(options: Map[String, String], some: Case): Boolean = some.ending match {
    case Ending.Differs(_) => options.get("--show").exists(some.damage.kind.contains(_))
    case Ending.Unharmed | Ending.Refused(_) | Ending.Failed(_) => false
  }

  private def many(options: Map[String, String]): Iterator[Long] = {
    val cases = options.get("--cases").map(_.toLong)
    val minutes = options.get("--minutes").map(_.toDouble).orElse(Option.when(cases.isEmpty)(3.0))
    val end = minutes.map(m => System.nanoTime() + (m * 60e9).toLong)
    Iterator
      .iterate(0L)(_ + 1)
      .takeWhile(n => cases.forall(n < _) && end.forall(System.nanoTime() < _))
  }
}
