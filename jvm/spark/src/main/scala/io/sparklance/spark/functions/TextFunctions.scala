package io.sparklance.spark.functions

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap}

import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, ScalarFunction, UnboundFunction}
import org.apache.spark.sql.types.{BooleanType, DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.index.text.TextMatcher
import io.sparklance.spark.errors.SparkErrors.translating

/** Whether a text has words: `lance_match(text, words)` for any of them, `lance_match_phrase` for all of
  * them, one after the other. Null if an argument is null. Settings of an index, as a JSON object, may
  * follow.
  */
final private[functions] class TextPredicate(override val name: String, isPhrase: Boolean)
    extends UnboundFunction {
  override def description(): String = s"$name(text, words): whether a text has the words"

  override def bind(arguments: StructType): BoundFunction = arguments.length match {
    case 2 => new TextMatchWords(name, isPhrase)
    case 3 => new TextMatchSettings(name, isPhrase)
    case _ => throw new UnsupportedOperationException(s"$name takes (text, words) or (text, words, settings)")
  }
}

/** `lance_highlight(text, words)` gives the text with `<b>` and `</b>` around the words. Other marks may
  * follow, and then settings of an index. Null if an argument is null.
  */
private[functions] object TextMarks extends UnboundFunction {
  override def name(): String = "lance_highlight"
  override def description(): String = "lance_highlight(text, words): a text with marks around the words"

  override def bind(arguments: StructType): BoundFunction = arguments.length match {
    case 2 => new TextHighlight
    case 4 => new TextHighlightMarks
    case 5 => new TextHighlightSettings
    case _ => throw new UnsupportedOperationException(
        "lance_highlight takes (text, words), (text, words, before, after) or (text, words, before, after, settings)"
      )
  }
}

/** A function of texts. */
sealed abstract private[sparklance] class TextExpression[A](
    override val name: String,
    arity: Int,
    override val resultType: DataType
) extends ScalarFunction[A] {
  override def inputTypes(): Array[DataType] = Array.fill(arity)(StringType)
  override def canonicalName(): String = s"sparklance.$name($arity)"
  override def toString: String = name
  override def hashCode: Int = canonicalName().hashCode
  override def equals(other: Any): Boolean = other match {
    case that: TextExpression[_] => that.canonicalName() == canonicalName()
    case _ => false
  }
}

// Spark's generated code finds `invoke` by name and types, in public classes.

final private[sparklance] class TextMatchWords private[functions] (function: String, isPhrase: Boolean)
    extends TextExpression[java.lang.Boolean](function, 2, BooleanType) {
  def invoke(text: UTF8String, words: UTF8String): java.lang.Boolean =
    TextMatchers.matched(text, words, TextMatchers.Defaults, isPhrase)
}

final private[sparklance] class TextMatchSettings private[functions] (function: String, isPhrase: Boolean)
    extends TextExpression[java.lang.Boolean](function, 3, BooleanType) {
  def invoke(text: UTF8String, words: UTF8String, settings: UTF8String): java.lang.Boolean =
    TextMatchers.matched(text, words, settings, isPhrase)
}

final private[sparklance] class TextHighlight
    extends TextExpression[UTF8String]("lance_highlight", 2, StringType) {
  def invoke(text: UTF8String, words: UTF8String): UTF8String =
    TextMatchers.marked(text, words, TextMatchers.Before, TextMatchers.After, TextMatchers.Defaults)
}

final private[sparklance] class TextHighlightMarks
    extends TextExpression[UTF8String]("lance_highlight", 4, StringType) {
  def invoke(text: UTF8String, words: UTF8String, before: UTF8String, after: UTF8String): UTF8String =
    TextMatchers.marked(text, words, before, after, TextMatchers.Defaults)
}

final private[sparklance] class TextHighlightSettings
    extends TextExpression[UTF8String]("lance_highlight", 5, StringType) {
  def invoke(
      text: UTF8String,
      words: UTF8String,
      before: UTF8String,
      after: UTF8String,
      settings: UTF8String
  ): UTF8String = TextMatchers.marked(text, words, before, after, settings)
}

/** Values of the functions. Null if an argument is null. */
private object TextMatchers {
  val Defaults: UTF8String = UTF8String.fromString("{}")
  val Before: UTF8String = UTF8String.fromString("<b>")
  val After: UTF8String = UTF8String.fromString("</b>")

  final private val MostRecent = 64
  private type Key = (UTF8String, UTF8String, Boolean)

  /** Matchers of recent words. Each belongs to a thread. */
  private val recent = ThreadLocal.withInitial[JMap[Key, TextMatcher]](() =>
    new JLinkedHashMap[Key, TextMatcher](MostRecent, 0.75f, true) {
      override def removeEldestEntry(eldest: JMap.Entry[Key, TextMatcher]): Boolean = size > MostRecent
    }
  )

  def matched(
      text: UTF8String,
      words: UTF8String,
      settings: UTF8String,
      isPhrase: Boolean
  ): java.lang.Boolean =
    if (text == null || words == null || settings == null) null
    else translating(of(words, settings, isPhrase).matches(text.toString))

  def marked(
      text: UTF8String,
      words: UTF8String,
      before: UTF8String,
      after: UTF8String,
      settings: UTF8String
  ): UTF8String =
    if (text == null || words == null || before == null || after == null || settings == null) null
    else translating {
      UTF8String.fromString(
        of(words, settings, isPhrase = false).highlight(text.toString, before.toString, after.toString)
      )
    }

  private def of(words: UTF8String, settings: UTF8String, isPhrase: Boolean): TextMatcher = {
    val known = recent.get.get((words, settings, isPhrase))
    if (known != null) known
    else {
      val matcher = TextMatcher.of(words.toString, settings.toString, isPhrase)
      // Spark may reuse the memory of its texts.
      val _ = recent.get.put((words.copy(), settings.copy(), isPhrase), matcher)
      matcher
    }
  }
}
