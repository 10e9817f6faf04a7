package io.sparklance.text

import java.nio.charset.StandardCharsets

import scala.util.Using

/** A language with stop words and stems.
  *
  * @param name
  *   its name in the parameters of indices
  */
sealed abstract private[sparklance] class Language(val name: String) extends Product with Serializable {
  final override def toString: String = name

  /** Name of its resources. */
  final private[text] def resource: String = name.toLowerCase(java.util.Locale.ROOT)

  /** Words left out of indices, in the form that the analysis gives them. */
  final def stopWords: Set[String] =
    Using.resource(getClass.getResourceAsStream(s"stopwords/$resource.txt")) { stream =>
      new String(stream.readAllBytes(), StandardCharsets.UTF_8).linesIterator.toSet
    }
}

private[sparklance] object Language {
  case object Arabic extends Language("Arabic")
  case object Danish extends Language("Danish")
  case object Dutch extends Language("Dutch")
  case object English extends Language("English")
  case object Finnish extends Language("Finnish")
  case object French extends Language("French")
  case object German extends Language("German")
  case object Greek extends Language("Greek")
  case object Hungarian extends Language("Hungarian")
  case object Italian extends Language("Italian")
  case object Norwegian extends Language("Norwegian")
  case object Portuguese extends Language("Portuguese")
  case object Romanian extends Language("Romanian")
  case object Russian extends Language("Russian")
  case object Spanish extends Language("Spanish")
  case object Swedish extends Language("Swedish")
  case object Tamil extends Language("Tamil")
  case object Turkish extends Language("Turkish")

  val all: Vector[Language] = Vector(
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish
  )

  def parse(name: String): Option[Language] = all.find(_.name == name)
}
