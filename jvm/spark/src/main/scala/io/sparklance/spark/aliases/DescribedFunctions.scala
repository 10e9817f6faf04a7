package io.sparklance.spark.aliases

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction

import io.sparklance.spark.functions.Functions
import io.sparklance.spark.session.LanceCatalogs

/** `DESCRIBE FUNCTION` of our functions. Spark says of their catalogs that they have none, because it
  * describes those of its session catalog only.
  */
private[aliases] object DescribedFunctions {
  private val Statement = {
    val part = "(?:\\w+|`[^`]+`)"
    s"(?is)\\s*DESC(?:RIBE)?\\s+FUNCTION\\s+(?:EXTENDED\\s+)?($part(?:\\.$part)*)\\s*;?\\s*".r
  }

  /** Returns a query for the statement's rows; None for other statements and functions. */
  def query(session: SparkSession, sql: String): Option[String] = sql match {
    case Statement(name) => Try(CatalystSqlParser.parseMultipartIdentifier(name)).toOption.flatMap { parts =>
        function(session, parts).map { found =>
          val lines = Seq(s"Function: ${parts.mkString(".")}", s"Usage: ${found.description}")
          s"SELECT explode(array(${lines.map(Alias.text).mkString(", ")})) AS function_desc"
        }
      }
    case _ => None
  }

  private def function(session: SparkSession, parts: Seq[String]): Option[UnboundFunction] =
    if (parts.length < 2 || !LanceCatalogs.isOurs(session, parts.head)) None
    else Functions.at(Identifier.of(parts.tail.init.toArray, parts.last))
}
