package io.sparklance.spark.options

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException

/** An option of the connector, as docs/options.md lists it.
  *
  * @param parse
  *   reads the text of a value; throws an IllegalArgumentException that says what the text must be
  */
sealed abstract private[sparklance] class LanceOption[A](val name: String, parse: String => A) {

  /** Returns the value that `settings` give.
    *
    * @throws io.sparklance.LanceUsageException
    *   if their text is not a value of this option
    */
  final def in(settings: CaseInsensitiveStringMap): Option[A] = Option(settings.get(name)).map { text =>
    try parse(text.trim)
    catch {
      case e: IllegalArgumentException =>
        throw new LanceUsageException(
          s"Option '$name' cannot be '${OptionText.shown(text)}': ${e.getMessage}.",
          e
        )
    }
  }

  /** The default as docs/options.md shows it. */
  def defaultText: Option[String] = None
}

/** An option with a default value, from which the default's text derives. */
private[sparklance] trait Defaulted[A] extends LanceOption[A] {
  def default: A

  protected def text(value: A): String = value.toString

  /** Returns the value that `settings` give, or the default. */
  final def of(settings: CaseInsensitiveStringMap): A = in(settings).getOrElse(default)

  final override def defaultText: Option[String] = Some(text(default))
}

/** A default in bytes, with the text that Spark's settings use: `256m`. */
private[options] trait SizeDefault extends Defaulted[Long] {
  final override protected def text(value: Long): String = OptionText.sizeText(value)
}

/** Options of reads. */
abstract private[options] class ReadOption[A](name: String, parse: String => A)
    extends LanceOption[A](name, parse)

/** Options of writes. */
abstract private[options] class WriteOption[A](name: String, parse: String => A)
    extends LanceOption[A](name, parse)

/** Options of reads and writes. */
abstract private[options] class StoreOption[A](name: String, parse: String => A)
    extends LanceOption[A](name, parse)
