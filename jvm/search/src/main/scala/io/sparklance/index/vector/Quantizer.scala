package io.sparklance.index.vector

import io.sparklance.schema.Field

/** The form in which an index stores vectors. */
sealed private[vector] trait Quantizer {

  /** Column of the stored form. */
  def column: String
}

private[vector] object Quantizer {

  /** Whole vectors.
    *
    * @param field
    *   their type
    */
  final case class Flat(field: Field) extends Quantizer {
    def column: String = Flat.Column
  }

  object Flat {
    val Column = "flat"
  }

  /** Product quantization: a vector is cut into parts, and a code names the nearest entry of the codebook for
    * each.
    *
    * @param parts
    *   number of parts
    * @param bits
    *   of a code: 4 or 8
    * @param codebook
    *   entries of the first part, then of the second, and so on
    * @param isTransposed
    *   whether all first bytes of the codes of a partition come first, then all second ones, and so on
    */
  final case class Product(parts: Int, bits: Int, codebook: Array[Float], isTransposed: Boolean)
      extends Quantizer {
    def column: String = Product.Column

    /** Bytes of a vector's codes. */
    def width: Int = parts * bits / 8

    /** Entries of the codebook for each part. */
    def entries: Int = 1 << bits

    /** The codebook by items: for each part the first items of all its entries, then the second ones, and so
      * on.
      */
    lazy val items: Array[Array[Array[Float]]] = {
      val size = codebook.length / (parts * entries)
      val all = Array.ofDim[Float](parts, size, entries)
      var at = 0
      while (at < codebook.length) {
        val entry = at / size
        all(entry / entries)(at % size)(entry % entries) = codebook(at)
        at += 1
      }
      all
    }
  }

  object Product {
    val Column = "__pq_code"
  }

  /** Scalar quantization: each number is one of 256 between two bounds. */
  final case class Scalar(start: Double, end: Double) extends Quantizer {
    def column: String = Scalar.Column
  }

  object Scalar {
    val Column = "__sq_code"
  }

  /** Codes of vectors' rotated differences from the centroid (RaBitQ): for each item its sign, and bits of
    * its size.
    *
    * @param extra
    *   bits of a size, from 0 to 8
    * @param isPacked
    *   whether the signs of 32 rows are together, see [[RotatedCodes]]
    */
  final case class Rotated(extra: Int, rotation: Rotation, isPacked: Boolean) extends Quantizer {
    def column: String = Rotated.Column

    /** Bytes of the signs of a vector. */
    def signWidth: Int = rotation.dimension / 8
  }

  object Rotated {
    val Column = "_rabit_codes"
    val Sizes = "__blocked_ex_codes"

    /** Columns of the summands and factors of rows, by signs only and with sizes. */
    val Added = "__add_factors"
    val Scales = "__scale_factors"
    val AddedWithSizes = "__add_factors_ex"
    val ScalesWithSizes = "__scale_factors_ex"

    /** Column of the bounds of errors, which searches do not read. */
    val Errors = "__error_factors"
  }
}
