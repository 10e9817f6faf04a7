package io.sparklance.spark.rowlevel

import io.sparklance.schema.LanceSchema
import io.sparklance.spark.isolation.StatementReads

/** Columns that a statement writes in place.
  *
  * @param inserts
  *   whether it inserts rows, too
  * @param mayMove
  *   whether it writes all columns of changed rows in fragments where that is cheaper
  */
final private[spark] case class ColumnsPlan(columns: LanceSchema, inserts: Boolean, mayMove: Boolean)

/** Knowledge of a statement before its write is planned.
  *
  * @param reads
  *   what it reads
  * @param columns
  *   what it writes of the rows that it changes; None for all columns
  */
final private[spark] case class StatementPlan(
    reads: Option[StatementReads] = None,
    columns: Option[ColumnsPlan] = None
)
