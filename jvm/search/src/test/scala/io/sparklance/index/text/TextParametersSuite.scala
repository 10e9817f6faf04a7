package io.sparklance.index.text

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

final class TextParametersSuite extends AnyFunSuite {
  test("unknown tokenizers, languages and kinds of documents are refused by name") {
    def refused(params: String): String =
      intercept[UnsupportedLanceFeatureException](TextParameters.parse(params)).getMessage
    for (name <- Vector("jieba/default", "lindera/ipadic", "icu", "icu/split", "new"))
      assert(refused(s"""{"base_tokenizer": "$name"}""").contains(s"the tokenizer '$name'"))
    assert(refused("""{"language": "Klingon"}""").contains("the language 'Klingon'"))
    assert(refused("""{"lance_tokenizer": "json"}""").contains("json documents"))
  }

  test("damaged parameters are an error") {
    for (params <- Vector("", "[]", "{", """{"base_tokenizer": "ngram", "min_ngram_length": 0}"""))
      intercept[LanceFormatException](TextParameters.parse(params))
  }
}
