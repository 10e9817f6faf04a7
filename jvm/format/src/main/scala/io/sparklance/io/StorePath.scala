package io.sparklance.io

/** Joins path parts; a table's root may be a plain path or a URI. */
object StorePath {
  def join(root: String, parts: String*): String = (root.stripSuffix("/") +: parts).mkString("/")
}
