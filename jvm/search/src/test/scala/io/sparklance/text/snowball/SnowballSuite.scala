package io.sparklance.text.snowball

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.text.Language

/** Compares stems with those of the reference's stemmers, a sample of the project's word lists by default.
  * `SPARKLANCE_STEMS` names a directory with longer lists.
  */
final class SnowballSuite extends AnyFunSuite {
  private def lines(language: String): Vector[String] = {
    val bytes = sys.env.get("SPARKLANCE_STEMS").map(d => Files.readAllBytes(Path.of(d, s"$language.tsv")))
      .getOrElse(Using.resource(getClass.getResourceAsStream(s"/text/stems/$language.tsv"))(_.readAllBytes()))
    new String(bytes, StandardCharsets.UTF_8).split('\n').toVector
  }

  Language.all.map(_.name.toLowerCase(java.util.Locale.ROOT)).foreach { language =>
    test(s"the stems of $language are the reference's") {
      val stem = Snowball.of(language).stemmer()
      val pairs = lines(language).map(_.split("\t", -1)).collect { case Array(word, expected) =>
        word -> expected
      }
      val wrong = pairs.filter { case (word, expected) => stem(word) != expected }
      assert(pairs.size > 100)
      assert(
        wrong.isEmpty,
        s"${wrong.size} of ${pairs.size}: " +
          wrong.take(5).map { case (word, expected) => s"$word: ${stem(word)}, not $expected" }.mkString("; ")
      )
    }
  }

  test("a program with an unknown word is refused with its line") {
    val error =
      intercept[IllegalStateException](new Parser("externals ( stem )\ndefine stem as shuffle").program())
    assert(error.getMessage == "line 2 has the unknown name 'shuffle'")
  }
}
