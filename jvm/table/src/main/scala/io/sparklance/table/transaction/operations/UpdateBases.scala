package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.table.BasePath
import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Adds base paths, in which files of the table may be. */
private[transaction] object UpdateBases {

  def apply(latest: TableState, update: Operation.UpdateBases): TableState = {
    val message = latest.manifest.message
    val all = update.message.newBases.foldLeft(message.basePaths.toVector) { (bases, base) =>
      bases.find(same(_, base)).foreach { there =>
        throw new LanceUsageException(
          s"The base ${base.path} cannot be added: the table has ${there.path} with the same id, name or path."
        )
      }
      bases :+ (if (base.id == 0) base.copy(id = unused(bases)) else base)
    }
    latest.copy(manifest = Manifest(message.copy(basePaths = all)))
  }

  def against(losing: Operation.UpdateBases, winning: Operation): Verdict = winning match {
    case Operation.UpdateBases(message) =>
      Verdict.incompatibleIf(
        losing.message.newBases.exists(a => message.newBases.exists(same(_, a))),
        "both add a base of the same id, name or path"
      )
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: Overwrite | _: CreateIndex | _: Rewrite | _: Merge | _: Restore |
        _: ReserveFragments | _: Update | _: Project | _: UpdateConfig | _: DataReplacement | _: Clone =>
      Verdict.Compatible
  }

  /** Whether two bases collide. Id 0 asks for a new id. */
  private def same(there: BasePath, added: BasePath): Boolean =
    added.id != 0 && there.id == added.id || added.name.exists(there.name.contains) ||
      there.path == added.path

  private def unused(bases: Vector[BasePath]): Int = {
    val taken = bases.map(_.id).toSet
    Iterator.from(1).filterNot(taken).next()
  }
}
