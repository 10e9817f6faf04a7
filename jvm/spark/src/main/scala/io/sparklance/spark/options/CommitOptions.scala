package io.sparklance.spark.options

import io.sparklance.LanceUsageException
import io.sparklance.spark.history.{Recorded, Statement}
import io.sparklance.table.transaction.BatchId

/** What a write says of its commit.
  *
  * @param notes kept with the transaction, under their own names
  * @param batch which batch of an application it is, so that a second time changes nothing
  * @param uncommitted the uuid of the transaction, if it is to be kept without being committed
  * @param statement that makes the commit, where this is not known from how rows are written
  */
final case class CommitOptions(
    notes: Map[String, String] = Map.empty,
    batch: Option[BatchId] = None,
    uncommitted: Option[String] = None,
    statement: Option[Statement] = None
) {

  /** The user's properties of the transaction. */
  def properties: Map[String, String] = notes ++ batch.fold(Map.empty[String, String])(_.properties)
}

object CommitOptions {

  /** Options that begin so become properties, `commit.message` the one in which all software keeps a commit's message. */
  private[spark] val Prefix = "commit."
  private val Message = "message"
  private val MessageProperty = "__lance_commit_message"

  /** @param settings by their names in lower case; so are the names of the properties, since Spark keeps no other */
  private[spark] def notes(settings: Map[String, String]): Map[String, String] = {
    val all =
      settings.collect { case (key, value) if key.startsWith(Prefix) => key.drop(Prefix.length) -> value }
    all.keys.find(_.startsWith(Recorded.Prefix)).foreach(name => throw reserved(name))
    if (all.contains(Message) && all.contains(MessageProperty)) throw twoMessages
    all.map { case (name, value) => (if (name == Message) MessageProperty else name) -> value }
  }

  private def reserved(name: String) = new LanceUsageException(
    s"Option '$Prefix$name' would set a property of the transaction that the connector sets itself: names that begin with " +
      s"'${Recorded.Prefix}' are taken. Give the note another name."
  )

  private def twoMessages = new LanceUsageException(
    s"Options '$Prefix$Message' and '$Prefix$MessageProperty' both set the commit's message. Give one of them."
  )
}
