package io.sparklance.dataset.compaction

import io.sparklance.dataset.write.WrittenFile

/** @param lineage row lineage, in a table with stable row ids */
final private[sparklance] case class RewrittenFile(file: WrittenFile, lineage: Option[MovedLineage])
