package io.sparklance.spark.index

/** A kind of index.
  *
  * @param settings
  *   text by name
  */
final private[spark] case class RequestedKind(name: String, settings: Map[String, String] = Map.empty)
