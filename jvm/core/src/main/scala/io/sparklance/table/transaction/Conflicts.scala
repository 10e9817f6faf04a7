package io.sparklance.table.transaction

/** Whether a transaction still holds when another came first. */
sealed trait Verdict

object Verdict {

  /** Built anew on the other's version, the transaction means the same. */
  case object Compatible extends Verdict

  /** The two cannot both stand; the user decides what is to be done.
    *
    * @param reason completes "... because"
    */
  final case class Incompatible(reason: String) extends Verdict
}

/** The conflict matrix, at first stricter than the format asks: only appends go together. */
object Conflicts {

  def check(mine: Operation, theirs: Operation): Verdict = (mine, theirs) match {
    case (_: Operation.Append, _: Operation.Append) => Verdict.Compatible
    case (_: Operation.Append, _: Operation.Overwrite) =>
      Verdict.Incompatible("the table to which the rows were to be appended was replaced")
    case (_: Operation.Append, _: Operation.Other) =>
      Verdict.Incompatible("an append is only rebased over other appends")
    case (_: Operation.Overwrite | _: Operation.Other, _) =>
      Verdict.Incompatible(s"an ${mine.name} would silently undo what was committed meanwhile")
  }
}
