package io.sparklance.text

/** Receives the tokens of a text, in order. */
private[sparklance] trait Tokens {

  /** @param position
    *   place of the token in the text, counted in tokens, removed ones included
    */
  def add(token: String, position: Int): Unit
}
