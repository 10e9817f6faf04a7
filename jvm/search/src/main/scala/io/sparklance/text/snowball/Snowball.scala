package io.sparklance.text.snowball

import java.nio.charset.StandardCharsets

import scala.util.Using

import io.sparklance.WeightedCache

/** A compiled stemming algorithm. Safe for any number of threads.
  *
  * The algorithms are programs in the language Snowball, of the project of that name, in its own files. So
  * every language has exactly the stems that the project defines.
  */
final private[sparklance] class Snowball private (stem: Command, variables: Variables) {

  /** Returns a function that gives the stem of a word, for one thread. */
  def stemmer(): String => String = {
    val word = new Word(variables)
    text => {
      word.load(text)
      val _ = stem.run(word)
      word.text
    }
  }
}

private[sparklance] object Snowball {
  private val compiled = new WeightedCache[String, Snowball](maxWeight = 32)

  /** Returns the algorithm of a language.
    *
    * @param language
    *   its name in lower case
    */
  def of(language: String): Snowball = compiled.getOrElseUpdate(language, _ => 1) {
    val name = s"$language.sbl"
    val source = Using.resource(getClass.getResourceAsStream(name)) { stream =>
      new String(stream.readAllBytes(), StandardCharsets.UTF_8)
    }
    val (stem, variables) = new Parser(source).program()
    new Snowball(stem, variables)
  }
}
