package io.sparklance.spark.types

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.SqlNames

/** The SQL text of a column's DEFAULT, which anybody may have put into a table's metadata, and Spark parses
  * and folds on the driver. Only a text that is short, nests little, and folds to a small value by functions
  * that are known reaches Spark.
  */
private[spark] object DefaultText {
  val MaxLength: Int = 1 << 16
  val MaxNesting = 64

  /** The height of the expression's tree, where `1 + 1 + 1` has 3. */
  val MaxHeight = 200

  /** Fails if a column is to get a default that nobody could use. */
  def check(column: String, text: String): Unit = problem(text).foreach { why =>
    throw new LanceUsageException(
      s"Column '$column' cannot have the DEFAULT ${shown(text)}: $why. Write its value, or a shorter expression; or leave DEFAULT " +
        "out, and let the rows bring the values."
    )
  }

  /** Returns the text for Spark: the default, or a text that Spark refuses where the default is used and
    * shows in its error.
    */
  def guarded(column: String, text: String): String = problem(text).fold(text) { why =>
    s"refused by sparklance, ${shown(text)}, since $why. Cure: ALTER COLUMN ${SqlNames.quoted(column)} SET DEFAULT with its value, or " +
      "DROP DEFAULT, or give the column a value"
  }

  /** Why a default is refused before it is parsed or folded. What is no SQL at all is left to Spark, which
    * says so.
    */
  def problem(text: String): Option[String] =
    if (text.length > MaxLength)
      Some(s"its text has ${text.length} characters, and at most $MaxLength are read")
    else if (nesting(text) > MaxNesting) Some(s"its brackets nest deeper than $MaxNesting levels")
    else
      try bounded(CatalystSqlParser.parseExpression(text))
      catch {
        case _: StackOverflowError => Some(TooDeep)
        case e: SparkThrowable if e.getCondition == "FAILED_TO_PARSE_TOO_COMPLEX" => Some(TooDeep)
        case NonFatal(_) => None
      }

  private val TooDeep = s"its expression is higher than $MaxHeight levels"

  private def bounded(parsed: Expression): Option[String] =
    if (height(Vector(parsed), 0) > MaxHeight) Some(TooDeep)
    else DefaultSize.problem(parsed)

  @tailrec
  private def height(level: Vector[Expression], above: Int): Int =
    if (level.isEmpty || above > MaxHeight) above else height(level.flatMap(_.children), above + 1)

  /** How deep brackets nest outside of quotes, where a backslash takes the meaning of the next character or
    * not: that is a setting of the session.
    */
  private def nesting(text: String): Int =
    math.max(nesting(text, escapes = true), nesting(text, escapes = false))

  private def nesting(text: String, escapes: Boolean): Int = {
    var depth, deepest, i = 0
    var quote = '\u0000'
    var isRaw = false
    while (i < text.length) {
      val c = text.charAt(i)
      if (quote != '\u0000') {
        if (c == '\\' && escapes && !isRaw && quote != '`') i += 1
        else if (c == quote) quote = '\u0000'
      } else if (c == '\'' || c == '"' || c == '`') {
        quote = c
        isRaw = i > 0 && (text.charAt(i - 1) | 0x20) == 'r'
      } else if (c == '(' || c == '[' || c == '<') {
        depth += 1
        deepest = math.max(deepest, depth)
      } else if (c == ')' || c == ']' || c == '>') depth -= 1
      i += 1
    }
    deepest
  }

  /** The text in a line of a message, which nests less than it. */
  private def shown(text: String): String = {
    val line = text.take(MaxNesting).map(c => if (c.isControl) ' ' else c)
    if (text.length > MaxNesting) s"$line…" else line
  }
}
