package io.sparklance.spark.aliases

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.spark.aliases.Alias.{Keyword, Statement}
import io.sparklance.spark.aliases.Settings.Name
import io.sparklance.spark.aliases.Token.{Literal, QuotedName, Sign, Word}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** A non-standard statement that stands for a procedure, as known from Delta Lake and Iceberg.
  *
  * @param table
  *   the procedure's table argument: a name in SQL, or a path
  * @param clauses
  *   tokens after the table, without the query
  * @param query
  *   a query at the end, as it is written
  */
final private[aliases] case class Alias(
    statement: Alias.Statement,
    table: String,
    clauses: List[Token],
    query: Option[String] = None
) {

  /** The procedure's arguments besides the table, as SQL. */
  def arguments: Vector[(String, String)] =
    statement.arguments(clauses) ++ query.map("query" -> Alias.text(_))
}

private[aliases] object Alias {

  /** @param words
    *   the statement's first words
    * @param takes
    *   syntax after the table
    */
  abstract class Statement(val procedure: String, val words: List[String], takes: String = "") {

    /** Syntax, for errors. */
    def usage: String = s"${words.mkString(" ")} table$takes"

    /** Whether the clauses belong to this statement. */
    def isMeant(clauses: List[Token]): Boolean = true

    /** Splits the tokens after the first words into the table's name and the clauses. */
    def split(tokens: List[Token]): Option[(String, List[Token])] = table(tokens)

    /** Position of the FROM before a query. */
    def queryAt(clauses: List[Token]): Option[Int] = {
      val _ = clauses
      None
    }

    def arguments(clauses: List[Token]): Vector[(String, String)]

    final protected def misread(clauses: List[Token]): LanceUsageException = new LanceUsageException(
      s"'${clauses.map(_.text).mkString(" ")}' makes no sense here. Write $usage."
    )
  }

  case object Optimize extends Statement("compact", List("OPTIMIZE"), " [WITH (setting = value, …)]") {
    def arguments(clauses: List[Token]): Vector[(String, String)] = clauses match {
      case Nil => Vector.empty
      case Keyword("WITH") :: Sign("(") :: rest =>
        Settings.ofOptimize.arguments(Settings.entries(rest).getOrElse(throw misread(clauses)))
      case Word(word) :: order if word.equalsIgnoreCase("ZORDER") =>
        val columns =
          order.map(_.text).filterNot(text => text == "(" || text == ")" || text.equalsIgnoreCase("BY"))
        throw new UnsupportedLanceFeatureException(
          s"OPTIMIZE with ZORDER (rows keep their order; sort them by INSERT OVERWRITE … SELECT … ORDER BY " +
            s"${columns.mkString(" ").replace(" ,", ",")}, and later rows by the property 'lance.write.orderColumns')"
        )
      case Word(word) :: _ if word.equalsIgnoreCase("WHERE") =>
        throw new UnsupportedLanceFeatureException(s"OPTIMIZE with $word (a table is compacted as a whole)")
      case other => throw misread(other)
    }
  }

  case object Vacuum extends Statement(
        "cleanup",
        List("VACUUM"),
        " {[RETAIN number HOURS] [DRY RUN] | WITH (setting = value, …)}"
      ) {

    /** Tagged versions stay, unless a setting makes them an error. */
    def arguments(clauses: List[Token]): Vector[(String, String)] = {
      val all = said(clauses)
      if (all.exists(_._1 == Tagged)) all else all :+ (Tagged -> "false")
    }

    private val Tagged = "error_if_tagged_old_versions"

    private def said(clauses: List[Token]): Vector[(String, String)] = clauses match {
      case Nil => Vector.empty
      case Keyword("WITH") :: Sign("(") :: rest =>
        Settings.ofVacuum.arguments(Settings.entries(rest).getOrElse(throw misread(clauses)))
      case Keyword("RETAIN") :: Word(hours) :: Keyword("HOURS") :: rest if hours.forall(_.isDigit) =>
        ("older_than" -> s"'$hours hours'") +: said(rest)
      case Keyword("DRY") :: Keyword("RUN") :: Nil => Vector("dry_run" -> "true")
      case other => throw misread(other)
    }
  }

  case object DescribeHistory extends Statement("history", List("DESCRIBE", "HISTORY"), " [LIMIT number]") {
    def arguments(clauses: List[Token]): Vector[(String, String)] = clauses match {
      case Nil => Vector.empty
      case Keyword("LIMIT") :: Word(number) :: Nil if number.forall(_.isDigit) => Vector("limit" -> number)
      case other => throw misread(other)
    }
  }

  case object Restore
      extends Statement(
        "restore",
        List("RESTORE", "TABLE"),
        " TO {VERSION AS OF version | TIMESTAMP AS OF 'time'} [DRY RUN]"
      ) {
    def arguments(clauses: List[Token]): Vector[(String, String)] = clauses.takeRight(2) match {
      case List(Keyword("DRY"), Keyword("RUN")) => target(clauses.dropRight(2)) :+ ("dry_run" -> "true")
      case _ => target(clauses)
    }

    private def target(clauses: List[Token]): Vector[(String, String)] = clauses match {
      case Keyword("TO") :: Keyword("VERSION") :: Keyword("AS") :: Keyword("OF") :: VersionName(version) ::
          Nil =>
        Vector("version" -> text(version))
      case Keyword("TO") :: Keyword("TIMESTAMP") :: Keyword("AS") :: Keyword("OF") :: (time: Literal) ::
          Nil =>
        Vector("as_of" -> s"TIMESTAMP ${time.text}")
      case other => throw misread(other)
    }
  }

  case object DescribeDetail extends Statement("detail", List("DESCRIBE", "DETAIL")) {
    def arguments(clauses: List[Token]): Vector[(String, String)] =
      if (clauses.isEmpty) Vector.empty else throw misread(clauses)
  }

  /** `SHOW TAGS IN t`, `SHOW BRANCHES IN t` and `SHOW INDEXES IN t`, as Spark has SHOW COLUMNS; also with
    * FROM.
    *
    * @param kind
    *   TAGS, BRANCHES, INDEXES or INDICES, also in the singular
    */
  final case class Show(kind: String, override val procedure: String, preposition: String)
      extends Statement(procedure, List("SHOW", kind, preposition)) {
    def arguments(clauses: List[Token]): Vector[(String, String)] =
      if (clauses.isEmpty) Vector.empty else throw misread(clauses)
  }

  private val shows = for {
    (kind, procedure) <- List(
      "TAGS" -> "tags",
      "TAG" -> "tags",
      "BRANCHES" -> "branches",
      "BRANCH" -> "branches",
      "INDEXES" -> "indices",
      "INDICES" -> "indices",
      "INDEX" -> "indices"
    )
    preposition <- List("IN", "FROM")
  } yield Show(kind, procedure, preposition)

  private val statements =
    List(Optimize, Vacuum, DescribeHistory, DescribeDetail, Restore, AnalyzeStatement) ++ shows ++
      RefStatement.all ++ IndexStatement.all ++ ColumnStatement.all ++ CloneStatement.all :+ KeyStatement

  /** Returns None for other statements. The clauses are not validated yet, because the table may be of
    * another format.
    */
  def parse(sql: String): Option[Alias] = {
    val tokens = Token.all(sql)
    val known = for {
      statement <- statements.iterator if begins(tokens.take(statement.words.size).toList, statement.words)
      (name, clauses) <- statement.split(tokens.drop(statement.words.size).toList)
      if statement.isMeant(clauses)
    } yield {
      def after(at: Int) = Token.rest(sql, tokens.size - clauses.size + at + 1).map(at -> _)
      statement.queryAt(clauses).flatMap(after).fold(Alias(statement, name, withoutEnd(clauses))) {
        case (at, query) => Alias(statement, name, clauses.take(at), Some(query))
      }
    }
    known.nextOption()
  }

  /** Returns a SQL literal that is independent of the session's escape settings. */
  def text(value: String): String = {
    val hex = value.getBytes(UTF_8).map(byte => f"$byte%02X").mkString
    s"CAST(X'$hex' AS STRING)"
  }

  /** Returns an array of such literals. */
  def texts(values: Vector[String]): String =
    values.map(text).mkString("CAST(array(", ", ", ") AS ARRAY<STRING>)")

  /** The number or name of a version. */
  object VersionName {
    def unapply(token: Token): Option[String] = token match {
      case Word(text) => Some(text)
      case literal: Literal => Some(literal.value)
      case QuotedName(_) | Sign(_) => None
    }
  }

  private def begins(tokens: List[Token], words: List[String]): Boolean =
    tokens.size == words.size && tokens.zip(words).forall {
      case (Keyword("DESC"), "DESCRIBE") => true
      case (Keyword(keyword), word) => keyword == word
      case _ => false
    }

  /** Splits tokens into the table's name, possibly of several parts, and the rest. */
  private[aliases] def table(tokens: List[Token]): Option[(String, List[Token])] = tokens match {
    case (path: Literal) :: rest => Some((path.value, rest))
    case (part @ (Word(_) | QuotedName(_))) :: Sign(".") :: rest =>
      table(rest).map { case (name, clauses) => (s"${part.text}.$name", clauses) }
    case (part @ (Word(_) | QuotedName(_))) :: rest => Some((part.text, rest))
    case _ => None
  }

  private def withoutEnd(clauses: List[Token]): List[Token] =
    if (clauses.lastOption.contains(Sign(";"))) clauses.init else clauses

  object Keyword {
    def unapply(token: Token): Option[String] = token match {
      case Word(text) => Some(text.toUpperCase(java.util.Locale.ROOT))
      case QuotedName(_) | Literal(_) | Sign(_) => None
    }
  }
}

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
    Vector("columns" -> Alias.texts(names))

  private def names(tokens: List[Token]): Option[Vector[String]] = tokens match {
    case Name(name) :: Nil => Some(Vector(name))
    case Name(name) :: Sign(",") :: rest => names(rest).map(name +: _)
    case _ => None
  }
}
