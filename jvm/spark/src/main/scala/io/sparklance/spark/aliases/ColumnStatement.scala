package io.sparklance.spark.aliases

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.spark.aliases.Alias.{Keyword, Statement, text}
import io.sparklance.spark.session.SqlNames

/** `ALTER TABLE t ADD COLUMNS (a, b) [ON (key, …)] FROM query`, and the same with UPDATE. As in lance-spark,
  * the parentheses may be left out, and the name of a view or table may stand for the query.
  */
final private case class ColumnStatement(verb: String, override val procedure: String)
    extends Statement(
      procedure,
      List("ALTER", "TABLE"),
      s" $verb COLUMNS (a, b) [ON (key, …)] FROM query"
    ) {

  /** Columns of Spark's statement have types after their names. */
  override def isMeant(clauses: List[Token]): Boolean = clauses match {
    case Keyword(`verb`) :: Keyword("COLUMNS" | "COLUMN") :: rest => Settings.names(rest).exists {
        case (_, Keyword("ON" | "FROM") :: _) => true
        case _ => false
      }
    case _ => false
  }

  override def queryAt(clauses: List[Token]): Option[Int] =
    Settings.names(clauses.drop(2)).flatMap {
      case (_, Keyword("ON") :: rest) => Settings.names(rest).map(_._2)
      case (_, rest) => Some(rest)
    }.collect { case rest @ Keyword("FROM") :: _ => clauses.size - rest.size }

  def arguments(clauses: List[Token]): Vector[(String, String)] =
    Settings.names(clauses.drop(2)) match {
      case Some((columns, Nil)) => Vector(named(columns))
      case Some((columns, Keyword("ON") :: rest)) => Settings.names(rest) match {
          case Some((keys, Nil)) => Vector(named(columns), "keys" -> Alias.texts(whole(keys)))
          case _ => throw misread(clauses)
        }
      case _ => throw misread(clauses)
    }

  /** Returns a map from each column to the query's column of that name. */
  private def named(columns: Vector[String]): (String, String) = {
    val entries = whole(columns).flatMap(name => Seq(text(name), text(SqlNames.quoted(name))))
    "columns" -> entries.mkString("map(", ", ", ")")
  }

  private def whole(names: Vector[String]): Vector[String] = {
    names.find(_.contains('.')).foreach { name =>
      throw new UnsupportedLanceFeatureException(
        s"$verb COLUMNS of '$name', a field of a column (name the whole column, and let the query make it)"
      )
    }
    names
  }
}

private object ColumnStatement {
  val all: List[Statement] =
    List(ColumnStatement("ADD", "add_columns"), ColumnStatement("UPDATE", "update_columns"))
}

/** `ALTER TABLE t SET UNENFORCED PRIMARY KEY (a, b)`, as in lance-spark. */
private object KeyStatement
    extends Statement("set_primary_key", List("ALTER", "TABLE"), " SET UNENFORCED PRIMARY KEY (a, b)") {

  override def isMeant(clauses: List[Token]): Boolean = clauses match {
    case Keyword("SET") :: Keyword("UNENFORCED") :: Keyword("PRIMARY") :: Keyword("KEY") :: _ => true
    case _ => false
  }

  def arguments(clauses: List[Token]): Vector[(String, String)] =
    Settings.names(clauses.drop(4)) match {
      case Some((columns, Nil)) => Vector("columns" -> Alias.texts(columns))
      case _ => throw misread(clauses)
    }
}
