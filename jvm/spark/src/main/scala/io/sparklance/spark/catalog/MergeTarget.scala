package io.sparklance.spark.catalog

import scala.util.Try

import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.spark.session.SqlNames

/** A table by its path, to which rows with columns of their own are to be added. Spark asks a catalog for a table by its name
  * alone, so the name says which columns these are: ``lance.mergeSchema.`{…}`.`/path` ``.
  */
private[spark] object MergeTarget {
  private val Word = "mergeSchema"

  /** What stands behind the catalog's name. */
  def name(path: String, rows: StructType): String =
    Seq(Word, rows.json, path).map(SqlNames.quoted).mkString(".")

  def unapply(ident: Identifier): Option[(String, StructType)] = ident.namespace match {
    case Array(Word, json) =>
      Try(DataType.fromJson(json)).toOption.collect { case rows: StructType => (ident.name, rows) }
    case _ => None
  }
}
