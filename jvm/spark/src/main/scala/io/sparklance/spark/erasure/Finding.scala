package io.sparklance.spark.erasure

/** A row of the result: what was erased, or what still holds erased rows.
  *
  * @param place
  *   number, name or path
  * @param remains
  *   whether the place still holds them, and erasure does not change that
  */
final private[spark] case class Finding(kind: String, place: String, detail: String, remains: Boolean) {
  def text: String = s"$kind $place ($detail)"
}

private[erasure] object Finding {
  def done(kind: String, place: Any, detail: String): Finding =
    Finding(kind, place.toString, detail, remains = false)

  def remains(kind: String, place: Any, detail: String): Finding =
    Finding(kind, place.toString, detail, remains = true)
}
