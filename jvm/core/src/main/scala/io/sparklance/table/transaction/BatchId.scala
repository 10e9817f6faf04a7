package io.sparklance.table.transaction

/** A batch of rows that its application may commit again, not knowing whether it did before: kept with the transaction, so
  * that the second time changes nothing. An application numbers its batches upwards and commits one after the other.
  */
final case class BatchId(application: String, number: Long) {

  def properties: Map[String, String] =
    Map(BatchId.ApplicationKey -> application, BatchId.NumberKey -> number.toString)

  /** Whether this batch is in a table to which the other was committed. */
  def isIn(other: BatchId): Boolean = application == other.application && number <= other.number
}

object BatchId {
  private val ApplicationKey = "sparklance.txnAppId"
  private val NumberKey = "sparklance.txnVersion"

  /** The batch that a transaction was, if it was one. */
  def of(properties: Map[String, String]): Option[BatchId] = for {
    application <- properties.get(ApplicationKey)
    number <- properties.get(NumberKey).flatMap(_.toLongOption)
  } yield BatchId(application, number)
}
