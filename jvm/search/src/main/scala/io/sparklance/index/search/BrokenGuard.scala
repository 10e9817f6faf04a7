package io.sparklance.index.search

import io.sparklance.index.IndexSegment
import io.sparklance.index.read.SearchResult
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Searches segments whose files may be broken. */
final private[search] class BrokenGuard(broken: BrokenIndices) {
  def apply(segment: IndexSegment)(search: => SearchResult): SearchResult =
    try search
    catch {
      case _: UnsupportedLanceFeatureException => SearchResult.Unusable
      case e: LanceFormatException =>
        broken match {
          case BrokenIndices.Scan => SearchResult.Unusable
          case BrokenIndices.Fail =>
            throw new LanceFormatException(
              s"the index '${segment.index}' cannot be read: ${e.reason}; drop it, or set the option " +
                "brokenIndices to scan",
              e.location,
              e
            )
        }
    }
}
