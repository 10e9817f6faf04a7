package io.sparklance.spark

import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.Tag

/** The ring of tests that runs: `dev_tools/rings.py`. */
object Ring {
  val isFull: Boolean = sys.env.get("SPARKLANCE_TEST_RING").contains("full")

  /** Runs begin at different places, so that over runs all values and items have their turn. */
  private val turn = new AtomicInteger(scala.util.Random.nextInt(1000))

  /** Returns all values in a full run, else one of them: another one at each call. */
  def inTurns[A](values: A*): Seq[A] =
    if (isFull) values else Seq(values(turn.getAndIncrement() % values.size))

  /** Returns all items in a full run, else each second one: the others at the next call. */
  def half[A](items: Seq[A]): Seq[A] =
    if (isFull) items
    else {
      val first = turn.getAndIncrement() % 2
      items.zipWithIndex.collect { case (item, i) if i % 2 == first => item }
    }

  /** A cell of a product whose pairs other tests cover. */
  object Cross extends Tag("cross")
}
