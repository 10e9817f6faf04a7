package io.sparklance.testkit

import org.scalatest.Tag

/** The ring of tests that runs: `dev_tools/rings.py`. */
object Ring {
  private val name = sys.env.getOrElse("SPARKLANCE_TEST_RING", "everyday")

  val isFull: Boolean = name == "full"

  /** Returns the number of cases for the ring. */
  def cases(fast: Int, everyday: Int, full: Int): Int = name match {
    case "fast" => fast
    case "everyday" => everyday
    case "full" => full
  }

  /** A test that starts a process of its own. */
  object Process extends Tag("process")

  /** A cell of a product whose pairs other tests cover. */
  object Cross extends Tag("cross")
}
