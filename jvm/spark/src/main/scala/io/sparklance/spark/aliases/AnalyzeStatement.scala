package io.sparklance.spark.aliases

import io.sparklance.spark.aliases.Alias.{Keyword, Statement, text}
import io.sparklance.spark.aliases.IndexStatement.Name
import io.sparklance.spark.aliases.Token.Sign

/** `ANALYZE TABLE t COMPUTE STATISTICS [FOR ALL COLUMNS | FOR COLUMNS a, b]`, which Spark refuses for other
  * connectors. Row counts and sizes are always known, so the statement without columns does nothing.
  */
private object AnalyzeStatement
    extends Statement(
      "analyze",
      List("ANALYZE", "TABLE"),
      " COMPUTE STATISTICS [NOSCAN | FOR ALL COLUMNS | FOR COLUMNS a, b]"
    ) {

  /** Delta Lake's statement is another. */
  override def isMeant(clauses: List[Token]): Boolean = clauses match {
    case Keyword("COMPUTE") :: Keyword("STATISTICS") :: _ => true
    case _ => false
  }

  def arguments(clauses: List[Token]): Vector[(String, String)] = clauses.drop(2) match {
    case Nil | Keyword("NOSCAN") :: Nil => columns(Vector.empty)
    case Keyword("FOR") :: Keyword("ALL") :: Keyword("COLUMNS") :: Nil => Vector.empty
    case Keyword("FOR") :: Keyword("COLUMNS") :: list =>
      columns(names(list).getOrElse(throw misread(clauses)))
    case _ => throw misread(clauses)
  }

  private def columns(names: Vector[String]): Vector[(String, String)] =
    Vector("columns" -> names.map(text).mkString("CAST(array(", ", ", ") AS ARRAY<STRING>)"))

  private def names(tokens: List[Token]): Option[Vector[String]] = tokens match {
    case Name(name) :: Nil => Some(Vector(name))
    case Name(name) :: Sign(",") :: rest => names(rest).map(name +: _)
    case _ => None
  }
}
