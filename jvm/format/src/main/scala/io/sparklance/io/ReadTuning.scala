package io.sparklance.io

/** A user's overrides of a [[ReadProfile]]. */
final private[sparklance] case class ReadTuning(
    maxRequests: Option[Int] = None,
    readAhead: Option[Long] = None,
    metadataCache: Option[Long] = None,
    minRequests: Option[Int] = None
) {
  def of(profile: ReadProfile): ReadProfile = profile.copy(
    maxRequests = maxRequests.getOrElse(math.max(profile.maxRequests, minRequests.getOrElse(0))),
    minRequests = minRequests.getOrElse(profile.minRequests),
    readAhead = readAhead.getOrElse(profile.readAhead),
    mayReadAhead = readAhead.fold(profile.mayReadAhead)(_ => 0L),
    metadataCache = metadataCache
  )
}
