package io.sparklance.spark.types

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.scalatest.funsuite.AnyFunSuite

final class DefaultTextSuite extends AnyFunSuite {

  Seq(
    "5",
    "2 + 3",
    "'it''s'",
    "NULL",
    "array(1, 2)",
    "array()",
    "map('a', 1)",
    "named_struct('a', array(1))",
    "current_timestamp()",
    "current_date",
    "now()",
    "current_user()",
    "DATE'2020-01-01'",
    "TIMESTAMP'2020-01-01 00:00:00'",
    "INTERVAL 1 DAY",
    "X'1F'",
    "CAST('1' AS DECIMAL(10, 2))",
    "'a' || 'b'",
    "upper('x')",
    "repeat('-', 80)",
    "rpad('x', 100)",
    "date_add(current_date(), 7)",
    "CASE WHEN true THEN 1 ELSE 2 END",
    "1 IN (1, 2)",
    "struct(1, 'a')",
    "to_json(named_struct('a', 1))",
    "replace('a-b', '-', '_')",
    "concat_ws(',', 'a', 'b')",
    "array_join(array('a', 'b'), ',')",
    "1 << 3",
    "map_from_entries(array(struct('a', 1)))",
    "split_part('a/b', '/', 2)",
    "conv('ff', 16, 10)",
    "url_encode('a b')",
    "sort_array(array(2, 1))",
    "'{\"a\": [[[[[[[[[[(((((((('",
    s"array(${(1 to 3000).mkString(", ")})",
    s"'${"x" * 60000}'",
    "(" * 60 + "1" + ")" * 60,
    // No SQL, which is Spark's to say.
    "((",
    ""
  ).foreach(text => test(s"may be a default: ${text.take(40)}")(assert(DefaultText.problem(text).isEmpty)))

  Seq(
    "repeat('x', 2000000000)" -> "may take more than",
    "repeat('x', 1 + 1)" -> "the count of 'repeat' is not a plain number",
    "array_repeat(array_repeat(1, 10000), 10000)" -> "may take more than",
    "hex(hex(hex(hex(hex(hex(hex('xxxxxxxx')))))))" -> "may take more than",
    s"replace('${"a" * 2000}', 'a', '${"b" * 2000}')" -> "may take more than",
    s"concat_ws('${"," * 2000}', array(${Seq.fill(2000)("1").mkString(", ")}))" -> "may take more than",
    "array_insert(array(1), 1000000000, 2)" -> "it calls 'array_insert'",
    "format_string('%1000000000d', 1)" -> "it calls 'format_string'",
    "'a' RLIKE '(a+)+$'" -> "'rlike', whose cost",
    "sequence(1, 10)" -> "it calls 'sequence'",
    "transform(array(1), x -> x)" -> "it calls 'transform'",
    "mine.of(1)" -> "it calls 'of'",
    "(SELECT 1)" -> "whose cost is not known",
    Seq.fill(300)("1").mkString("+") -> "higher than 200 levels",
    Seq.fill(5000)("'x'").mkString("||") -> "higher than 200 levels",
    "(" * 10000 -> "nest deeper than 64",
    "r'\\' || " + "(" * 100 + "1" + ")" * 100 -> "nest deeper than 64",
    s"'\\' ${"(" * 100} '" -> "nest deeper than 64",
    "x" * 100000 -> "has 100000 characters"
  ).foreach { case (text, why) =>
    test(s"is no default: ${text.take(40)}")(assert(DefaultText.problem(text).exists(_.contains(why))))
  }

  test("functions that are known are Spark's, in some release") {
    val later = Set(
      "current_time",
      "make_time",
      "quote",
      "time",
      "to_time",
      "try_mod",
      "try_make_timestamp",
      "try_to_date",
      "try_to_time"
    )
    val keywords = Set("extract", "iff", "timestampadd", "timestampdiff", "<<", ">>", ">>>")
    val spark = FunctionRegistry.expressions.keySet
    assert(DefaultSize.known.removedAll(spark).removedAll(later).removedAll(keywords).isEmpty)
  }

  test("the text that Spark gets for a refused default is not SQL, and has no line ends") {
    val shown = DefaultText.guarded("a b", "repeat('x',\n 2000000000)")
    assert(
      shown.startsWith("refused by sparklance, repeat('x',  2000000000), since its value may take more than")
    )
    assert(shown.contains("ALTER COLUMN `a b` SET DEFAULT") && DefaultText.problem(shown).isEmpty)
    intercept[Exception](org.apache.spark.sql.catalyst.parser.CatalystSqlParser.parseExpression(shown))
  }
}
