package io.sparklance.table.transaction

/** Identity of an idempotent write, kept with the transaction: repeating the batch changes nothing. An
  * application numbers its batches in ascending order and commits them one after the other.
  *
  * @param isRemembered
  *   whether the table's config keeps the number of the application's last batch, which clean-up does not
  *   forget
  * @param name
  *   name that the user gave the application, if any
  */
final private[sparklance] case class BatchId(
    application: String,
    number: Long,
    isRemembered: Boolean = false,
    name: Option[String] = None
) {

  def properties: Map[String, String] =
    Map(BatchId.ApplicationKey -> application, BatchId.NumberKey -> number.toString) ++
      Option.when(isRemembered)(BatchId.RememberedKey -> "true") ++ name.map(BatchId.NameKey -> _)

  /** Whether a table that contains the batch `other` contains this one. */
  def isIn(other: BatchId): Boolean = application == other.application && number <= other.number
}

private[sparklance] object BatchId {
  private val ApplicationKey = "sparklance.txnAppId"
  private val NumberKey = "sparklance.txnVersion"
  private val RememberedKey = "sparklance.txnRemembered"
  private val NameKey = "sparklance.txnName"

  /** Returns the batch of a transaction, if it was one. */
  def of(properties: Map[String, String]): Option[BatchId] = for {
    application <- properties.get(ApplicationKey)
    number <- properties.get(NumberKey).flatMap(_.toLongOption)
  } yield BatchId(
    application,
    number,
    properties.get(RememberedKey).contains("true"),
    properties.get(NameKey)
  )
}
