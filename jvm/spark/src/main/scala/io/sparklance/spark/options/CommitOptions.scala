package io.sparklance.spark.options

import io.sparklance.LanceUsageException
import io.sparklance.spark.history.{Recorded, Statement}
import io.sparklance.table.transaction.BatchId

/** Options of a commit.
  *
  * @param notes
  *   properties for the transaction, under their own names
  * @param batch
  *   identity of an idempotent write
  * @param uncommitted
  *   uuid of the transaction, if it is written without being committed
  * @param statement
  *   statement that makes the commit, if the kind of write does not determine it
  * @param indices
  *   what happens to the table's indices
  * @param isolation
  *   level of the statement, if the user sets one
  * @param sink
  *   options of a streaming write
  */
final private[sparklance] case class CommitOptions(
    notes: Map[String, String] = Map.empty,
    batch: Option[BatchId] = None,
    uncommitted: Option[String] = None,
    statement: Option[Statement] = None,
    indices: IndexOptions = IndexOptions(),
    isolation: Option[Isolation] = None,
    sink: SinkOptions = SinkOptions()
) {

  /** Properties of the transaction that the user sets. */
  def properties: Map[String, String] = notes ++ batch.fold(Map.empty[String, String])(_.properties)
}

/** Options of a commit for the table's indices.
  *
  * @param optimizes
  *   whether new rows are indexed after the commit
  * @param keep
  *   what becomes of indices if all rows are replaced
  */
final private[sparklance] case class IndexOptions(
    optimizes: Boolean = false,
    keep: KeepIndices = KeepIndices.Drop
)

private[sparklance] object CommitOptions {

  /** Prefix of options that become properties. `commit.message` becomes the standard property for a commit's
    * message.
    */
  private[spark] val Prefix = "commit."
  private val Message = "message"
  private val MessageProperty = "__lance_commit_message"

  /** @param settings options with lower-case names; Spark keeps no other case */
  private[spark] def notes(settings: Map[String, String]): Map[String, String] = {
    val all =
      settings.collect { case (key, value) if key.startsWith(Prefix) => key.drop(Prefix.length) -> value }
    all.keys.find(_.startsWith(Recorded.Prefix)).foreach(name => throw reserved(name))
    if (all.contains(Message) && all.contains(MessageProperty)) throw twoMessages
    all.map { case (name, value) => (if (name == Message) MessageProperty else name) -> value }
  }

  private def reserved(name: String) = new LanceUsageException(
    s"Option '$Prefix$name' would set a property of the transaction that the connector sets itself: " +
      s"names that begin with '${Recorded.Prefix}' are reserved. Give the note another name."
  )

  private def twoMessages = new LanceUsageException(
    s"Options '$Prefix$Message' and '$Prefix$MessageProperty' both set the commit's message. Give one of them."
  )
}
