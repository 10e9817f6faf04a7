package io.sparklance.spark.search

/** A parameter of a table function.
  *
  * @param others
  *   further names, from other engines
  */
final private[search] case class SearchParameter(
    name: String,
    kind: SearchParameterKind,
    others: Vector[String] = Vector.empty
)
