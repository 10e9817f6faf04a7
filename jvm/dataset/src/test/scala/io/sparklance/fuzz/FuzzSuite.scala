package io.sparklance.fuzz

import java.nio.file.Paths

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import io.sparklance.testkit.Ring

/** A short run of the fuzzer, with another seed each time; `./dev fuzz` makes long ones. */
@Slow
class FuzzSuite extends AnyFunSuite {
  private val seed = Random.nextLong()
  private val cases = Ring.cases(fast = 100, everyday = 300, full = 50000).toLong
  private lazy val specimens = Specimen.golden(Paths.get("tests/golden"))

  test("damaged tables are read right or refused, whatever the damage") {
    val failed = Vector.newBuilder[String]
    val run = new FuzzRun(
      new Fuzzer(specimens, seed).run,
      Iterator.iterate(0L)(_ + 1).takeWhile(_ < cases),
      some =>
        some.ending match {
          case Ending.Failed(_) => failed += some.print(seed)
          case Ending.Unharmed | Ending.Differs(_) | Ending.Refused(_) => ()
        }
    )
    run.await()
    assert(failed.result().isEmpty, failed.result().take(20).mkString("\n", "\n", ""))
  }

  test("a message that is taken apart and put together is the same") {
    for {
      specimen <- specimens
      (path, bytes) <- specimen.files
      container <- Container.of(path, bytes)
      index <- container.names.indices
    } {
      val message = container.message(index)
      val fields = Wire.parse(message).getOrElse(fail(s"no message: $path ${container.names(index)}"))
      assert(Wire.print(fields).sameElements(message))
    }
  }

  test("a table is the same after its messages are written again") {
    for {
      specimen <- specimens
      (path, bytes) <- specimen.files
      container <- Container.of(path, bytes)
      index <- container.names.indices
    } {
      val store =
        Specimen.store(specimen.files.updated(path, container.replaced(index, container.message(index))))
      assert(TableContent.read(store, Specimen.Root, specimen.unsupported) == specimen.content)
    }
  }
}
