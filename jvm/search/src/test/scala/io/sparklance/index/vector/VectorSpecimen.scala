package io.sparklance.index.vector

import io.sparklance.dataset.Dataset
import io.sparklance.fuzz.{Damaged, Ending, Specimen, TableContent}
import io.sparklance.index.search.{BrokenIndices, GoldenIndices}
import io.sparklance.{LanceException, LanceFormatException, Location}

/** The table in `tests/golden/vectors`, whose index files are damaged and searched: by one query, and by
  * several together.
  */
object VectorSpecimen {
  import GoldenVectors._

  /** Queries that are searched for together. */
  final private val Together = 5

  lazy val golden: Specimen = {
    val (own, _) = files.partition(_._1.contains("/_indices/"))
    val content = TableContent.read(Specimen.store(files), GoldenIndices.Root, Set.empty)
    Specimen("vector indices", own, Set.empty, content, Some(ending))
  }

  private lazy val sound: Map[String, Vector[Vector[Long]]] =
    answers.keySet.map(column => column -> found(files, column, BrokenIndices.Fail)).toMap

  private def ending(damaged: Damaged): Ending = {
    val changed = damaged.files.filterNot { case (path, bytes) => files(path).sameElements(bytes) }
    val gone = files.keySet.filter(path => path.contains("/_indices/") && !damaged.files.contains(path))
    val touched = changed.keySet ++ gone
    val endings = directories.toVector.sortBy(_._1).collect {
      case (column, uuid) if touched.exists(_.contains(uuid)) => searched(damaged, column)
    }
    endings.find { case _: Ending.Failed => true; case _ => false }
      .orElse(endings.find(_ != Ending.Unharmed)).getOrElse(Ending.Unharmed)
  }

  private def searched(damaged: Damaged, column: String): Ending = {
    val all = files.filterNot(_._1.contains("/_indices/")) ++ damaged.files
    val ending =
      try {
        val rows = found(all, column, BrokenIndices.Fail)
        if (rows == sound(column)) Ending.Unharmed else Ending.Differs(s"other rows by the index '$column'")
      } catch {
        case e: LanceFormatException
            if e.location != Location() && e.getMessage.contains(s"the index '$column'") => Ending.Refused(e)
        case e: LanceException => Ending.Failed(e)
      }
    // Nothing is an error if the caller wants to do without a damaged index.
    val _ = found(all, column, BrokenIndices.Scan)
    ending
  }

  /** Addresses of the rows found for a query, and for several. */
  private def found(
      all: Map[String, Array[Byte]],
      column: String,
      broken: BrokenIndices
  ): Vector[Vector[Long]] = {
    VectorIndexFiles.clear()
    val store = Specimen.store(all)
    val query = doubles(answers(column).get("q")).toArray
    try
      Vector(1, Together).flatMap { count =>
        search(Dataset.open(store, GoldenIndices.Root), column, Vector.fill(count)(query), broken, 6)(
          (index, spec) =>
            index.find(spec, 6, Probes(), None)
        ).toVector.flatMap(_.answers.map(_.addresses.toVector))
      }
    finally VectorIndexFiles.clear()
  }
}
