package io.sparklance.spark

import org.scalatest.Tag

/** The ring of tests that runs: `dev_tools/rings.py`. */
object Ring {
  val isFull: Boolean = sys.env.get("SPARKLANCE_TEST_RING").contains("full")

  /** A test that starts a process of its own. */
  object Process extends Tag("process")

  /** A cell of a product whose pairs other tests cover. */
  object Cross extends Tag("cross")
}
