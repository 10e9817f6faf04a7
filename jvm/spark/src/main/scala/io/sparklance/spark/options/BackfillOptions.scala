package io.sparklance.spark.options

/** Options of a backfill.
  *
  * @param on
  *   key columns, if rows are not identified by address or id
  * @param job
  *   name by which another attempt continues this one; generated if absent
  * @param meaning
  *   identity of the values, if known: attempts with other values do not continue the job
  */
final private[sparklance] case class BackfillOptions(
    kind: BackfillKind,
    on: Vector[String] = Vector.empty,
    job: Option[String] = None,
    version: Option[Long] = None,
    meaning: Option[String] = None
)
