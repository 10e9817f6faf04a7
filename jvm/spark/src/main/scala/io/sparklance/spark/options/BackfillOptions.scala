package io.sparklance.spark.options

/** What a write of columns is to do, besides the rows that bring them.
  *
  * @param on columns by which rows of the table are told, if not by address or id
  * @param job by which name another attempt goes on with this one; made up if there is none
  * @param meaning of what rows bring, if it is known: attempts at something else do not go on with it
  */
final case class BackfillOptions(
    kind: BackfillKind,
    on: Vector[String] = Vector.empty,
    job: Option[String] = None,
    version: Option[Long] = None,
    meaning: Option[String] = None
)

/** What becomes of the columns that rows bring. */
sealed abstract class BackfillKind(val name: String, val command: String) extends Product with Serializable

object BackfillKind {

  /** The table gets them. */
  case object Add extends BackfillKind("add", "add_columns")

  /** The table has them, and rows that are not told of keep their values. */
  case object Update extends BackfillKind("update", "update_columns")

  val all: Vector[BackfillKind] = Vector(Add, Update)
}
