package io.sparklance.text

import org.scalatest.funsuite.AnyFunSuite

/** Expected tokens are those of pylance. */
final class AnalysisSuite extends AnyFunSuite {
  private val english: Analysis = Analysis(
    Tokenizer.Simple,
    Some(40),
    lowerCase = true,
    Some(Language.English),
    Language.English.stopWords,
    asciiFolding = true
  )

  private def words(analysis: Analysis, text: String): Vector[String] =
    analysis.analyzer().tokens(text).map(_._1)

  test("the default analysis stems, removes stop words and keeps their positions") {
    assert(english.analyzer().tokens("The quick brown foxes jumped") ==
      Vector("quick" -> 1, "brown" -> 2, "fox" -> 3, "jump" -> 4))
  }

  test("stop words are removed after stemming, so some words of the list stay") {
    assert(words(english, "because very does") == Vector("becaus", "veri", "doe"))
  }

  test("accents are removed after stemming") {
    assert(words(english, "Café résumé") == Vector("cafe", "resume"))
  }

  test("tokens with as many bytes as the limit are removed") {
    val plain = Analysis.plain.copy(maxBytes = Some(40))
    assert(words(plain, s"${"a" * 39} ${"a" * 40} ${"é" * 19} ${"é" * 20}") == Vector("a" * 39, "é" * 19))
  }

  test("folding keeps letters without an ASCII form") {
    val folding = Analysis.plain.copy(asciiFolding = true)
    assert(words(folding, "北京 кот ＡＢＣ ½ Straße İ") == Vector("北京", "кот", "ABC", "12", "Strasse", "I"))
  }

  test("the capital letter I with a dot becomes two code points") {
    assert(words(Analysis.plain.copy(lowerCase = true), "İSTANBUL ΟΔΟΣ") == Vector("i\u0307stanbul", "οδοσ"))
  }

  test("n-grams are all parts of a text, at position 0") {
    val grams = Analysis.plain.copy(tokenizer = Tokenizer.NGram(2, 3, prefixOnly = false))
    assert(grams.analyzer().tokens("abcd") ==
      Vector("ab", "abc", "bc", "bcd", "cd").map(_ -> 0))
    assert(words(grams.copy(tokenizer = Tokenizer.NGram(2, 3, prefixOnly = true)), "abcd") ==
      Vector("ab", "abc"))
    assert(words(grams, "a").isEmpty)
  }

  test("code is divided into identifiers and their parts") {
    val code =
      Analysis.plain.copy(tokenizer = Tokenizer.Code(operators = true, Some(SplitIdentifiers(true, true))))
    assert(code.analyzer().tokens("getUserName != utf8_reader") == Vector(
      "getUserName" -> 0,
      "get" -> 0,
      "User" -> 1,
      "Name" -> 2,
      "!=" -> 3,
      "utf8_reader" -> 4,
      "utf" -> 4,
      "8" -> 5,
      "reader" -> 6
    ))
  }
}
