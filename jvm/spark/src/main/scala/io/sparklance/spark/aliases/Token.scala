package io.sparklance.spark.aliases

/** A token of a statement, by Spark's rules. */
sealed private[aliases] trait Token {

  /** Text in the statement. */
  def text: String
}

private[aliases] object Token {

  /** A keyword, a name or a number. */
  final case class Word(text: String) extends Token {
    def is(keyword: String): Boolean = text.equalsIgnoreCase(keyword)
  }

  /** A name in backquotes. */
  final case class QuotedName(text: String) extends Token

  /** A text in single or double quotes. */
  final case class Literal(text: String) extends Token {
    def value: String = text.substring(1, text.length - 1).replaceAll("\\\\(.)", "$1")
  }

  /** Any other character. */
  final case class Sign(text: String) extends Token

  /** Returns the tokens lazily, because the first one identifies most statements. */
  def all(sql: String): LazyList[Token] = placed(sql).map(_.token)

  /** Returns the statement after its first tokens, as it is written. A semicolon at the end does not count.
    */
  def rest(sql: String, first: Int): Option[String] = {
    val left = placed(sql).drop(first).toVector
    val meant = if (left.lastOption.exists(_.token == Sign(";"))) left.init else left
    meant.headOption.map(from => sql.substring(from.start, meant.last.end))
  }

  final private case class Placed(token: Token, start: Int, end: Int)

  private def placed(sql: String): LazyList[Placed] =
    LazyList.unfold(0)(at => next(sql, at).map(found => (found, found.end)))

  private def next(sql: String, from: Int): Option[Placed] = {
    val at = afterSpace(sql, from)
    Option.when(at < sql.length) {
      val char = sql.charAt(at)
      val end =
        if (isPartOfWord(char)) wordEnd(sql, at) else if (isQuote(char)) quotedEnd(sql, at) else at + 1
      val text = sql.substring(at, end)
      val token =
        if (isPartOfWord(char)) Word(text)
        else if (text.length < 2 || text.last != char) Sign(text)
        else if (char == '`') QuotedName(text)
        else Literal(text)
      Placed(token, at, end)
    }
  }

  private def isPartOfWord(char: Char): Boolean = char == '_' || Character.isLetterOrDigit(char)

  private def isQuote(char: Char): Boolean = char == '`' || char == '\'' || char == '"'

  private def wordEnd(sql: String, from: Int): Int = {
    val end = sql.indexWhere(!isPartOfWord(_), from)
    if (end < 0) sql.length else end
  }

  /** Returns the position after the closing quote. Backquotes are doubled within backquotes; a backslash
    * escapes the next character of a literal.
    */
  private def quotedEnd(sql: String, from: Int): Int = {
    val quote = sql.charAt(from)
    var at = from + 1
    var isOpen = true
    while (isOpen && at < sql.length) {
      val char = sql.charAt(at)
      val isDoubled = char == '`' && sql.startsWith("``", at)
      if (char == quote && !isDoubled) isOpen = false
      at += (if (char == '\\' && quote != '`' || char == quote && isDoubled) 2 else 1)
    }
    math.min(at, sql.length)
  }

  /** Returns the position after white space and comments. */
  private def afterSpace(sql: String, from: Int): Int = {
    var at = from
    var end = -1
    while (end != at) {
      end = at
      while (at < sql.length && Character.isWhitespace(sql.charAt(at))) at += 1
      if (sql.startsWith("--", at)) at = behind(sql, "\n", at)
      else if (sql.startsWith("/*", at)) at = behind(sql, "*/", at + 2)
    }
    at
  }

  private def behind(sql: String, mark: String, from: Int): Int = {
    val at = sql.indexOf(mark, from)
    if (at < 0) sql.length else at + mark.length
  }
}
