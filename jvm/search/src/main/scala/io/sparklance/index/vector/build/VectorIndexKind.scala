package io.sparklance.index.vector.build

import java.util.Locale

/** The form in which an index stores vectors. */
sealed abstract private[sparklance] class VectorForm extends Product with Serializable

private[sparklance] object VectorForm {

  /** The values of the column, unchanged. */
  case object Whole extends VectorForm

  /** Product quantization: codes of the parts of a vector. */
  case object Parts extends VectorForm

  /** Scalar quantization: a byte for each number. */
  case object Bytes extends VectorForm

  /** The signs of the items of rotated vectors. */
  case object Signs extends VectorForm
}

/** A type of vector index that can be built: partitions of an inverted file (IVF), and the form of the
  * vectors in them.
  *
  * @param hasGraph
  *   whether the vectors of a partition are the nodes of a graph (HNSW)
  * @param targetRows
  *   rows of a partition, on average, unless a number is given
  */
sealed abstract private[sparklance] class VectorIndexKind(
    val name: String,
    val form: VectorForm,
    val hasGraph: Boolean,
    val targetRows: Int
) extends Product
    with Serializable

private[sparklance] object VectorIndexKind {
  final private val RowsOfGraph = 1 << 20

  case object IvfFlat extends VectorIndexKind("IVF_FLAT", VectorForm.Whole, hasGraph = false, 4096)
  case object IvfPq extends VectorIndexKind("IVF_PQ", VectorForm.Parts, hasGraph = false, 8192)
  case object IvfSq extends VectorIndexKind("IVF_SQ", VectorForm.Bytes, hasGraph = false, 8192)
  case object IvfRq extends VectorIndexKind("IVF_RQ", VectorForm.Signs, hasGraph = false, 4096)
  case object IvfHnswFlat
      extends VectorIndexKind("IVF_HNSW_FLAT", VectorForm.Whole, hasGraph = true, RowsOfGraph)
  case object IvfHnswPq extends VectorIndexKind("IVF_HNSW_PQ", VectorForm.Parts, hasGraph = true, RowsOfGraph)
  case object IvfHnswSq extends VectorIndexKind("IVF_HNSW_SQ", VectorForm.Bytes, hasGraph = true, RowsOfGraph)

  val all: Vector[VectorIndexKind] =
    Vector(IvfFlat, IvfPq, IvfSq, IvfRq, IvfHnswFlat, IvfHnswPq, IvfHnswSq)

  /** Returns the kind of a name in any case. */
  def parse(name: String): Option[VectorIndexKind] = {
    val upper = name.toUpperCase(Locale.ROOT)
    all.find(_.name == upper)
  }

  /** Returns the kind of a form. */
  def of(form: VectorForm, hasGraph: Boolean): Option[VectorIndexKind] =
    all.find(kind => kind.form == form && kind.hasGraph == hasGraph)

  /** Whether a name is one of a vector index, known or not. */
  def isVector(name: String): Boolean = {
    val upper = name.toUpperCase(Locale.ROOT)
    upper.startsWith("IVF_") || upper == "VECTOR"
  }
}
