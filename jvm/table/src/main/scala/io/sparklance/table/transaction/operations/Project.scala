package io.sparklance.table.transaction.operations

import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Changes the schema without touching data files; files without any column left are dropped. */
private[transaction] object Project {

  def apply(latest: TableState, project: Operation.Project): TableState = {
    val next = latest.manifest.message.copy(fields = project.message.schema)
    Indices.relevant(latest.copy(manifest = Manifest(FieldFiles.live(next))))
  }

  def against(winning: Operation): Verdict = winning match {
    case _: Merge | _: Operation.Project => Reasons.newSchema
    case _: Overwrite | _: Restore => Reasons.replaced
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: CreateIndex | _: Rewrite | _: ReserveFragments | _: Update |
        _: UpdateConfig | _: DataReplacement | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }
}
