package io.sparklance.spark.types

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.SqlNames

/** The SQL text of a column's DEFAULT. Any software may have written it to the table's metadata, and Spark
  * parses and folds it on the driver. So only short texts with little nesting, which known functions fold to
  * a small value, reach Spark.
  */
private[spark] object DefaultText {
  val MaxLength: Int = 1 << 16
  val MaxNesting = 64

  /** Largest height of the expression's tree; `1 + 1 + 1` has height 3. */
  val MaxHeight = 200

  /** Refuses a new default that could never be used. */
  def check(column: String, text: String): Unit = problem(text).foreach { why =>
    throw new LanceUsageException(
      s"Column '$column' cannot have the DEFAULT ${shown(text)}: $why. Write its value, or a shorter expression; or leave DEFAULT " +
        "out, and let the rows bring the values."
    )
  }

  /** Returns the text for Spark: the default, or a text that Spark refuses when the default is used and shows
    * in its error.
    */
  def guarded(column: String, text: String): String = problem(text).fold(text) { why =>
    s"refused by sparklance, ${shown(text)}, since $why. Cure: ALTER COLUMN ${SqlNames.quoted(column)} SET DEFAULT with its value, or " +
      "DROP DEFAULT, or give the column a value"
  }

  /** Returns why a default is refused before it is parsed or folded. Spark itself reports invalid SQL. */
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

  /** Returns the nesting depth of brackets outside of quotes. Considers both meanings of a backslash, which
    * depends on the session.
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

  /** Returns the text for a line of a message, with less nesting than the original. */
  private def shown(text: String): String = {
    val line = text.take(MaxNesting).map(c => if (c.isControl) ' ' else c)
    if (text.length > MaxNesting) s"$line…" else line
  }
}
