package io.sparklance.table.transaction.operations

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.OperationVariants._
import io.sparklance.table.transaction.{Operation, Verdict}

/** Holds [[Conflicts]] against the table in docs/design/conflicts.md: for every pair of
  * [[OperationVariants]], the conditions that the table names, written down here a second time, give the same
  * verdict.
  */
class ConflictMatrixSuite extends AnyFunSuite {

  private val rows: Vector[Vector[String]] = Files
    .readString(Path.of("docs/design/conflicts.md"))
    .linesIterator
    .dropWhile(!_.startsWith("| ours"))
    .takeWhile(_.startsWith("|"))
    .drop(2)
    .map(_.split('|').map(_.trim).drop(1).padTo(4, "").toVector)
    .toVector

  private val names = rows.map(_.head) :+ "others"
  private val listed: Map[(String, String), Vector[String]] = (for {
    row <- rows
    (words, list) <- Seq("X" -> row(1), "R" -> row(2)) ++
      row(3).split("; ").map(_.span(_ != ':')).map { case (words, list) => words -> list.drop(2) }
    theirs <- list.split(", ") if theirs.nonEmpty
  } yield (row.head, theirs) -> words.split(' ').toVector).toMap

  private val cells: Map[(String, String), Vector[String]] =
    (for (mine <- names; theirs <- names) yield (mine, theirs) -> {
      if (mine == "others" || theirs == "others") Vector("X")
      else listed.getOrElse((mine, theirs), Vector("ok"))
    }).toMap

  private def rowOf(operation: Operation): String = operation match {
    case Other(_) => "others"
    case known => known.name
  }

  test("the table has a row for every operation, and names no other one") {
    assert(names.distinct == names && names.toSet == all.map(rowOf).toSet)
    assert(listed.keySet.subsetOf(cells.keySet) && cells.values.forall(_.forall(words.contains)))
  }

  test("every pair is judged as its cell says") {
    for (mine <- all; theirs <- all) {
      val cell = cells((rowOf(mine), rowOf(theirs)))
      val expected = cell.iterator.map(words(_)(mine, theirs)).find(_ != "ok").getOrElse("ok")
      assert(letter(Conflicts.check(mine, theirs)) == expected, s"\nours   $mine\ntheirs $theirs\n$cell")
    }
  }

  test("every condition holds for some pair of each of its cells, and not for another") {
    for (((mine, theirs), cell) <- cells; word <- cell if !Set("ok", "R", "X")(word)) {
      val verdicts =
        for (a <- all if rowOf(a) == mine; b <- all if rowOf(b) == theirs) yield words(word)(a, b)
      assert(verdicts.distinct.size > 1, s"$mine / $theirs: $word is always ${verdicts.distinct}")
    }
  }

  private def letter(verdict: Verdict): String = verdict match {
    case Verdict.Compatible => "ok"
    case Verdict.Retryable(_) => "R"
    case Verdict.Incompatible(_) => "X"
  }

  /** A conflict if a condition holds; the cells of other operations do not have it. */
  private def conflict(letter: String)(condition: PartialFunction[(Operation, Operation), Boolean]): Word =
    (mine, theirs) => if (condition((mine, theirs))) letter else "ok"

  private type Word = (Operation, Operation) => String

  private def words: Map[String, Word] = Map(
    "ok" -> ((_, _) => "ok"),
    "R" -> ((_, _) => "R"),
    "X" -> ((_, _) => "X"),
    "fragments" -> conflict("R") { case (a, b) => touched(a).exists(touched(b)) },
    "rows" -> rowsWord,
    "keys" -> keysWord,
    "nulls" -> conflict("R") { case (a, b) => tightens(a) || tightens(b) },
    "fields" -> conflict("R") { case (Update(m, _, _), Project(p)) =>
      !m.fieldsModified.toSet.subsetOf(p.schema.map(_.id).toSet)
    },
    "indexed" -> conflict("R") { case (a, b) => indexedFields(a, b).exists(changedFields(a, b)) },
    "covered" -> coveredWord,
    "index" -> conflict("R") { case (CreateIndex(a), CreateIndex(b)) => sameIndex(a, b) || sameIndex(b, a) },
    "new" -> conflict("R") { case (CreateIndex(a), _) => a.newIndices.nonEmpty },
    "schema" -> schemaWord,
    "config" -> configWord,
    "metadata" -> conflict("X") { case (UpdateConfig(a, _), UpdateConfig(b, _)) => sameMetadata(a, b) },
    "removed" -> conflict("X") { case (a, b) => touched(a).exists(removed(b)) },
    "moved" -> movedWord,
    "dropped" -> conflict("X") { case (DataReplacement(a), Project(p)) =>
      !a.replacements.flatMap(_.getNewFile.fields).forall(p.schema.map(_.id).contains)
    },
    "columns" -> conflict("R") { case (DataReplacement(a), DataReplacement(b)) =>
      val both = for (x <- a.replacements; y <- b.replacements if x.fragmentId == y.fragmentId)
        yield x.getNewFile.fields.intersect(y.getNewFile.fields)
      both.flatten.nonEmpty
    },
    "bases" -> conflict("X") { case (UpdateBases(a), UpdateBases(b)) =>
      val same = for (x <- a.newBases; y <- b.newBases)
        yield x.path == y.path || x.name.nonEmpty && x.name == y.name || x.id != 0 && x.id == y.id
      same.contains(true)
    }
  )
}
