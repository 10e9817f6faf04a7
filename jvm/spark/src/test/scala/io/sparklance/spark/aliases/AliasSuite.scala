package io.sparklance.spark.aliases

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.spark.aliases.Token._

final class AliasSuite extends AnyFunSuite {
  private def read(sql: String): Option[(String, String, Seq[(String, String)])] =
    Alias.parse(sql).map(alias => (alias.statement.procedure, alias.table, alias.arguments))

  private def refusal(sql: String): String = intercept[LanceException](read(sql)).getMessage

  test("a statement is cut into words, names, texts and signs, without space and comments") {
    assert(
      Token.all("a -- b\n/* c */ `d ``e`.'f\\'g' \"h\"; i_1").toList ==
        List(
          Word("a"),
          QuotedName("`d ``e`"),
          Sign("."),
          Literal("'f\\'g'"),
          Literal("\"h\""),
          Sign(";"),
          Word("i_1")
        )
    )
    assert(Literal("'f\\'g\\\\'").value == "f'g\\")
  }

  test("an unclosed quote or comment ends with the statement") {
    Seq("'a", "`a", "\"a\\", "/* a", "-- a", "`", "'\\").foreach { text =>
      assert(Token.all(s"OPTIMIZE $text").take(10).toList.size <= 2, text)
    }
  }

  test("each statement is known, in any case and with comments") {
    assert(read("OPTIMIZE t").contains(("compact", "t", Nil)))
    assert(read(" /* now */ optimize -- t\n db.`a.b` ;").contains(("compact", "db.`a.b`", Nil)))
    val tagged = "error_if_tagged_old_versions" -> "false"
    assert(read("VACUUM '/a/b'").contains(("cleanup", "/a/b", Seq(tagged))))
    assert(
      read("VACUUM t RETAIN 12 HOURS DRY RUN").contains(
        ("cleanup", "t", Seq("older_than" -> "'12 hours'", "dry_run" -> "true", tagged))
      )
    )
    assert(read("Desc History lance.`/a` LIMIT 3").contains(("history", "lance.`/a`", Seq("limit" -> "3"))))
    assert(read("DESCRIBE DETAIL c.d.t").contains(("detail", "c.d.t", Nil)))
    assert(
      read("restore table t to version as of 3;").contains((
        "restore",
        "t",
        Seq("version" -> Alias.text("3"))
      ))
    )
    assert(
      read("RESTORE TABLE t TO TIMESTAMP AS OF '2026-01-01'").map(_._3).contains(
        Seq("as_of" -> "TIMESTAMP '2026-01-01'")
      )
    )
    assert(
      read("RESTORE TABLE t TO VERSION AS OF 3 dry run").map(_._3).contains(
        Seq("version" -> Alias.text("3"), "dry_run" -> "true")
      )
    )
  }

  test("tags and branches are made and dropped by ALTER TABLE") {
    val (v, b) = (Alias.text("v-`1"), Alias.text("b"))
    assert(read("ALTER TABLE t CREATE TAG `v-``1`").contains(("create_tag", "t", Seq("tag" -> v))))
    assert(
      read("alter table a.t replace tag `v-``1` as of version 'main:3'").contains(
        ("update_tag", "a.t", Seq("tag" -> v, "version" -> Alias.text("main:3")))
      )
    )
    assert(
      read("ALTER TABLE t CREATE TAG b AS OF VERSION 3 RETAIN 30 DAYS").map(_._3).contains(
        Seq("tag" -> b, "version" -> Alias.text("3"), "retain" -> Alias.text("30 days"))
      )
    )
    assert(read("ALTER TABLE t DROP TAG b;").contains(("delete_tag", "t", Seq("tag" -> b))))
    assert(
      read("ALTER TABLE t CREATE BRANCH b AS OF VERSION 3").contains(
        ("create_branch", "t", Seq("branch" -> b, "version" -> Alias.text("3")))
      )
    )
    assert(read("ALTER TABLE t DROP BRANCH b").contains(("delete_branch", "t", Seq("branch" -> b))))
  }

  test("a query is what stands behind FROM, as it is written") {
    def query(sql: String) = Alias.parse(sql).flatMap(_.query)
    assert(query("ALTER TABLE t ADD COLUMNS (a, `b c`) FROM SELECT 1.5 /*+ x */ >= 'a;' ; ").contains(
      "SELECT 1.5 /*+ x */ >= 'a;'"
    ))
    assert(query("ALTER TABLE t UPDATE COLUMNS from FROM v").contains("v"))
    assert(query("ALTER TABLE t UPDATE COLUMNS a ON (k, l) FROM (v)").contains("(v)"))
    assert(
      read("alter table t update column a, `b``c` on k from v").map { case (name, _, arguments) =>
        (name, arguments.map(_._1))
      }.contains(("update_columns", Seq("columns", "keys", "query")))
    )
    Seq("(a, b)", "(a", "a b", "(a) ON FROM v", "(a) ON (k) v", "a FROM").foreach { text =>
      val statement = s"ALTER TABLE t UPDATE COLUMNS $text"
      val known = Alias.parse(statement)
      assert(known.forall(alias => scala.util.Try(alias.arguments).isFailure), statement)
    }
  }

  test("other statements are not") {
    Seq(
      "",
      "SELECT 1",
      "DESCRIBE t",
      "DESCRIBE TABLE EXTENDED history",
      "DESCRIBE HISTORY",
      "OPTIMIZE",
      "OPTIMIZE .",
      "OPTIMIZED t",
      "EXPLAIN OPTIMIZE t",
      "'OPTIMIZE' t",
      "ALTER TABLE t",
      "ALTER TABLE t ADD COLUMN tag INT",
      "ALTER TABLE t ADD COLUMNS (from INT, on STRING COMMENT 'from')",
      "ALTER TABLE t ADD COLUMN on INT",
      "ALTER TABLE t SET TBLPROPERTIES (unenforced = 'x')",
      "CREATE TABLE shallow (clone INT)",
      "ALTER TABLE t DROP COLUMN branch",
      "ALTER TABLE t CREATE OR REPLACE TAG v",
      "RESTORE t TO VERSION AS OF 1",
      "`VACUUM` t"
    ).foreach(sql => assert(Alias.parse(sql).isEmpty, sql))
  }

  test("a clause that a statement does not take is refused, with the clauses that it takes") {
    assert(refusal("OPTIMIZE t WHERE a = 1").contains("OPTIMIZE with WHERE"))
    assert(refusal("OPTIMIZE t ZORDER BY (a)").contains("OPTIMIZE with ZORDER"))
    assert(refusal("OPTIMIZE t FULL").contains("Write OPTIMIZE table [WITH (setting = value, …)]."))
    assert(refusal("VACUUM t RETAIN x HOURS").contains("[RETAIN number HOURS] [DRY RUN]"))
    assert(refusal("VACUUM t DRY RUN RETAIN 1 HOURS").contains("makes no sense"))
    assert(refusal("DESCRIBE HISTORY t LIMIT '1'").contains("DESCRIBE HISTORY table [LIMIT number]"))
    assert(refusal("DESCRIBE DETAIL t t").contains("Write DESCRIBE DETAIL table."))
    assert(refusal("RESTORE TABLE t").contains("Write RESTORE TABLE table TO {VERSION AS OF version"))
    assert(
      refusal(
        "ALTER TABLE t CREATE TAG v AS OF 3"
      ).contains("CREATE TAG name [AS OF {VERSION version | TAG name |")
    )
    assert(refusal("ALTER TABLE t DROP TAG v AS OF VERSION 3").contains("table DROP TAG name."))
    assert(refusal("ALTER TABLE t REPLACE TAG IF EXISTS v").contains("IF [NOT] EXISTS"))
    assert(refusal("ALTER TABLE t CREATE BRANCH v RETAIN 3 DAYS").contains("RETAIN"))
    assert(refusal("ALTER TABLE t DROP TAG v RETAIN 3 DAYS").contains("RETAIN"))
    assert(refusal("ALTER TABLE t CREATE TAG v RETAIN 3 MOONS").contains("[RETAIN number DAYS]"))
  }
}
