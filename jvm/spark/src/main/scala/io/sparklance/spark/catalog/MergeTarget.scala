package io.sparklance.spark.catalog

import scala.util.Try

import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.spark.session.SqlNames

/** A table by its path, for an append with schema merging. Spark passes only a name to the catalog, so the
  * name contains the new columns: ``lance.mergeSchema.`{…}`.`/path` ``.
  */
private[spark] object MergeTarget {
  private val Word = "mergeSchema"

  /** Returns the parts of the name after the catalog. */
  def name(path: String, rows: StructType): String =
    Seq(Word, rows.json, path).map(SqlNames.quoted).mkString(".")

  def unapply(ident: Identifier): Option[(String, StructType)] = ident.namespace match {
    case Array(Word, json) =>
      Try(DataType.fromJson(json)).toOption.collect { case rows: StructType => (ident.name, rows) }
    case _ => None
  }
}
