package io.sparklance.spark.isolation

import org.apache.spark.sql.{Column, DataFrame}

import io.sparklance.spark.session.SqlNames

/** A column of the table whose values a MERGE compares with its source.
  *
  * @param path
  *   names, from the top-level column down
  * @param nullsMatch
  *   whether two NULLs are equal, as by `<=>`
  */
final private[spark] case class ComparedColumn(path: Vector[String], nullsMatch: Boolean) {

  /** Name with its parts quoted where they need it. */
  def quoted: String = path.map(SqlNames.quoted).mkString(".")

  /** Returns the column of some rows. */
  def in(rows: DataFrame): Column = rows.col(quoted)
}
