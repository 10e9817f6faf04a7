package io.sparklance.index.text

import java.nio.file.Paths

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.fuzz.{Case, Ending, FuzzRun, IndexFuzzer, TextSpecimens}
import io.sparklance.testkit.Ring

/** Searches of damaged full-text indices end with the right answer, or with an error that names the place.
  * `./dev fuzz --of texts` makes long runs.
  */
class TextDamageSuite extends AnyFunSuite {
  private val seed = Random.nextLong()
  private val cases = Ring.cases(fast = 20, everyday = 40, full = 20000).toLong
  private lazy val specimens = TextSpecimens.golden(Paths.get("tests/golden/text"))

  test("damaged full-text indices are searched or refused") {
    val failed = Vector.newBuilder[Case]
    val fuzzer = new IndexFuzzer(specimens, seed)
    new FuzzRun(
      fuzzer.run,
      (0L until cases).iterator,
      some =>
        some.ending match {
          case Ending.Failed(_) => failed += some
          case Ending.Unharmed | Ending.Differs(_) | Ending.Refused(_) => ()
        }
    ).await()
    TextPartition.clear()
    assert(failed.result().isEmpty, failed.result().take(10).map(_.print(seed)).mkString("\n", "\n", ""))
  }
}
