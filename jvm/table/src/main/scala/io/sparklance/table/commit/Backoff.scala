package io.sparklance.table.commit

import scala.util.Random

/** Pauses between attempts: a random slot among a growing number of slots, each a little longer than an
  * attempt, so that colliding writers spread out. A slot follows the quickest attempt, because slower ones
  * caught up with many versions, which does not lengthen the conflict.
  */
private[sparklance] object Backoff {
  final private val MaxSlots = 128

  def delayMillis(attempt: Int, attemptMillis: Long, random: Random): Long = {
    val slots = if (attempt >= 5) MaxSlots else 4 << attempt
    random.nextInt(slots + 1) * math.max(1L, attemptMillis + attemptMillis / 10)
  }
}
