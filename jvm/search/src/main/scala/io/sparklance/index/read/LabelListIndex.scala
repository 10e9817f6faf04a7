package io.sparklance.index.read

import io.sparklance.dataset.predicate.{Predicate, ValueTest}

/** Searches label lists: bitmap indices of the items of lists. Lists without items are in no bitmap, so null
  * lists need no attention, because an index only finds lists that have an item.
  */
private[read] object LabelListIndex {

  /** @param open whose leaf is the items */
  def search(open: OpenSegment, test: ValueTest, limits: SearchLimits): SearchResult =
    BitmapIndex.search(open, Predicate.Passes(open.leaf, test), limits)
}
