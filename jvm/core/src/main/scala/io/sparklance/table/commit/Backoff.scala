package io.sparklance.table.commit

import scala.util.Random

/** How long to wait before the next attempt: a random slot among ever more, each a little longer than an attempt takes,
  * so that writers who collided spread out. What counts is the quickest
  * attempt: how many versions an attempt had to catch up with says nothing of how long writers are in each other's way.
  */
private[sparklance] object Backoff {
  final private val MaxSlots = 128

  def delayMillis(attempt: Int, attemptMillis: Long, random: Random): Long = {
    val slots = if (attempt >= 5) MaxSlots else 4 << attempt
    random.nextInt(slots + 1) * math.max(1L, attemptMillis + attemptMillis / 10)
  }
}
