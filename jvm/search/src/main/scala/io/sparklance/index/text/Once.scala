package io.sparklance.index.text

/** A value that is computed once, when it is first asked for. Other threads wait for it alone. */
final private[text] class Once[A](compute: => A) {
  lazy val value: A = compute
}
