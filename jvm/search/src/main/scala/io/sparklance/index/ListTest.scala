package io.sparklance.index

import io.sparklance.dataset.predicate.ValueTest
import io.sparklance.schema.Leaf

/** Whether a list has an item that passes a test. Only indices evaluate it: who asks for it tests the lists
  * of the rows again.
  *
  * @param listId
  *   id of the field of the list
  * @param item
  *   the items, without the list around them
  */
final private[sparklance] case class ListTest(listId: Int, item: Leaf, test: ValueTest)
