package io.sparklance.spark.options

import io.sparklance.table.transaction.BatchId

/** What a write says of its commit.
  *
  * @param notes kept with the transaction, under their own names
  * @param batch which batch of an application it is, so that a second time changes nothing
  * @param uncommitted the uuid of the transaction, if it is to be kept without being committed
  */
final case class CommitOptions(
    notes: Map[String, String] = Map.empty,
    batch: Option[BatchId] = None,
    uncommitted: Option[String] = None
) {

  /** The properties of the transaction. */
  def properties: Map[String, String] = notes ++ batch.fold(Map.empty[String, String])(_.properties)
}

object CommitOptions {

  /** Options that begin so become properties, `commit.message` the one in which all software keeps a commit's message. */
  private[spark] val Prefix = "commit."
  private val Message = "message"
  private val MessageProperty = "__lance_commit_message"

  /** @param settings by their names in lower case; so are the names of the properties, since Spark keeps no other */
  private[spark] def notes(settings: Map[String, String]): Map[String, String] = settings.collect {
    case (key, value) if key.startsWith(Prefix) =>
      val name = key.drop(Prefix.length)
      (if (name == Message) MessageProperty else name) -> value
  }
}
