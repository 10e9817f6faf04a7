package io.sparklance.dataset.schemachange

/** Handles values that do not fit. If it returns, the cast stores some other value instead. */
private[sparklance] trait LossyValueHandler {

  /** @param at where it stands in the source */
  def found(value: String, at: Int): Unit

  /** Handles a list whose number of items is not that of the fixed-size lists.
    *
    * @param at
    *   where it stands in the source
    */
  def foundLength(items: Int, at: Int): Unit = found(s"of $items items", at)
}
