package io.sparklance.spark.options

import io.sparklance.table.transaction.BatchId

/** Options of a commit.
  *
  * @param notes properties for the transaction, under their own names
  * @param batch identity of an idempotent write
  * @param uncommitted uuid of the transaction, if it is written without being committed
  */
final case class CommitOptions(
    notes: Map[String, String] = Map.empty,
    batch: Option[BatchId] = None,
    uncommitted: Option[String] = None
) {

  /** Properties of the transaction. */
  def properties: Map[String, String] = notes ++ batch.fold(Map.empty[String, String])(_.properties)
}

object CommitOptions {

  /** Prefix of options that become properties. `commit.message` becomes the standard property for a commit's message. */
  private[spark] val Prefix = "commit."
  private val Message = "message"
  private val MessageProperty = "__lance_commit_message"

  /** @param settings options with lower-case names; Spark keeps no other case */
  private[spark] def notes(settings: Map[String, String]): Map[String, String] = settings.collect {
    case (key, value) if key.startsWith(Prefix) =>
      val name = key.drop(Prefix.length)
      (if (name == Message) MessageProperty else name) -> value
  }
}
