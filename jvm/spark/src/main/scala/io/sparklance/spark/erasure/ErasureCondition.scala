package io.sparklance.spark.erasure

import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{Column, DataFrame}

import io.sparklance.spark.options.ConditionText

/** The condition of an erasure.
  *
  * @param text
  *   in SQL, as a DELETE takes it
  * @param table
  *   name of the table in the condition, without its catalog and namespace
  */
final private[spark] case class ErasureCondition(text: String, table: Option[String] = None) {
  private val checked = ConditionText.checked("condition")(text)

  private[erasure] def column: Column = expr(checked)

  /** Names rows as the condition may. */
  private[erasure] def named(rows: DataFrame): DataFrame = table.fold(rows)(name => rows.as(name))
}
