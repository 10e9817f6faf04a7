package io.sparklance.dataset.compaction

import io.sparklance.dataset.write.WrittenFile

/** A file with the rows of a group.
  *
  * @param lineage
  *   row lineage, in a table with stable row ids
  */
final private[sparklance] case class RewrittenFile(file: WrittenFile, lineage: Option[MovedLineage])
