package io.sparklance.index.vector.build

import java.util.Locale

/** A type of vector index that can be built: partitions of an inverted file (IVF), and the form of the
  * vectors in them.
  *
  * @param targetRows
  *   rows of a partition, on average, unless a number is given
  */
sealed abstract private[sparklance] class VectorIndexKind(val name: String, val targetRows: Int)
    extends Product with Serializable

private[sparklance] object VectorIndexKind {

  /** Whole vectors. */
  case object IvfFlat extends VectorIndexKind("IVF_FLAT", 4096)

  /** Product quantization: codes of the parts of a vector. */
  case object IvfPq extends VectorIndexKind("IVF_PQ", 8192)

  /** Scalar quantization: a byte for each number. */
  case object IvfSq extends VectorIndexKind("IVF_SQ", 8192)

  val all: Vector[VectorIndexKind] = Vector(IvfFlat, IvfPq, IvfSq)

  /** Returns the kind of a name in any case. */
  def parse(name: String): Option[VectorIndexKind] = {
    val upper = name.toUpperCase(Locale.ROOT)
    all.find(_.name == upper)
  }

  /** Whether a name is one of a vector index, known or not. */
  def isVector(name: String): Boolean = {
    val upper = name.toUpperCase(Locale.ROOT)
    upper.startsWith("IVF_") || upper == "VECTOR"
  }
}
