package io.sparklance.fuzz

import scala.util.Random

import io.sparklance.dataset.Dataset

/** A sound table with an index, and questions that searches of the index answer.
  *
  * @param index
  *   the files of the index
  * @param others
  *   the other files of the table, which stay sound
  * @param ask
  *   asks one question after the other, and passes the answers on; they have to be values
  */
final case class IndexSpecimen(
    index: Specimen,
    others: Map[String, Array[Byte]],
    ask: (Dataset, Any => Unit) => Unit
) {

  /** The answers of the sound index. */
  lazy val answers: Vector[Any] = answersOf(index.files)

  def answersOf(files: Map[String, Array[Byte]]): Vector[Any] = {
    val found = Vector.newBuilder[Any]
    ask(Dataset.open(Specimen.store(others ++ files), Specimen.Root), found += _)
    found.result()
  }
}

/** Damages the files of indices and searches them. */
final class IndexFuzzer(specimens: Vector[IndexSpecimen], seed: Long) {
  private val all = specimens.map(_.index)

  def run(number: Long): Case = {
    val random = new Random(seed * 0x9e3779b97f4a7c15L ^ number * 0xbf58476d1ce4e5b9L)
    val specimen = specimens(random.nextInt(specimens.size))
    val damage = new Damage(all, random)(specimen.index)
    val wanted = specimen.answers
    val ending = Fuzzer.judged(specimen.index.size) {
      val found = specimen.answersOf(damage.files)
      if (found == wanted) Ending.Unharmed
      else Ending.Differs(s"answers ${found.indices.filter(i => found(i) != wanted(i)).mkString(", ")}")
    }
    Case(number, specimen.index.name, damage, ending)
  }
}
