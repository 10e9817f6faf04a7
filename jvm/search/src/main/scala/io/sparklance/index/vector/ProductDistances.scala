package io.sparklance.index.vector

import io.sparklance.index.vector.graph.NodeDistances
import io.sparklance.vector.{FloatKernels, RowKernels}

/** Distances of vectors in product quantization: sums of the distances of a query's parts from the entries of
  * the codebook, which a table has.
  */
final private[vector] class ProductDistances(quantizer: Quantizer.Product, dimension: Int) {
  private val entries = quantizer.entries
  private val size = dimension / quantizer.parts
  private val table = new Array[Float](quantizer.parts * entries)
  private val own = new Array[Float](size)
  private val scores = new Array[Float](entries)

  /** Fills the table for a query, or for its difference from a centroid. */
  def prepare(query: Array[Float], isDot: Boolean): Unit = {
    var part = 0
    while (part < quantizer.parts) {
      System.arraycopy(query, part * size, own, 0, size)
      val items = quantizer.items(part)
      if (isDot) {
        FloatKernels.products(items, entries, own, scores)
        var i = 0
        while (i < entries) { scores(i) = 1f - scores(i); i += 1 }
      } else FloatKernels.squaredDifferences(items, entries, own, scores)
      System.arraycopy(scores, 0, table, part * entries, entries)
      part += 1
    }
  }

  /** Computes the distances of all rows of a partition.
    *
    * @param isDot
    *   whether the table has one summand of 1 for each part
    */
  def distances(codes: Array[Byte], rows: Int, isDot: Boolean, out: Array[Float]): Unit = {
    sum(table, codes, rows, out)
    if (isDot) {
      val excess = (quantizer.parts - 1).toFloat
      var i = 0
      while (i < rows) { out(i) -= excess; i += 1 }
    }
  }

  /** Adds up the numbers that a table has for the codes of each row.
    *
    * @param table
    *   a number for each entry of each part
    */
  def sum(table: Array[Float], codes: Array[Byte], rows: Int, out: Array[Float]): Unit = {
    java.util.Arrays.fill(out, 0, rows, 0f)
    if (quantizer.bits == 8) addBytes(table, codes, rows, out) else addNibbles(table, codes, rows, out)
  }

  /** Returns the distance of one row, of the same bits as [[distances]] computes.
    *
    * @param query
    *   or its difference from a centroid
    * @param codes
    *   of the rows of a partition, transposed
    */
  def one(query: Array[Float], codes: Array[Byte], rows: Int, row: Int, isDot: Boolean): Float = {
    var sum = 0f
    var byte = 0
    while (byte < quantizer.width) {
      val code = codes(byte * rows + row) & 0xff
      sum +=
        (if (quantizer.bits == 8) ofEntry(query, byte, code, isDot)
         else ofEntry(query, 2 * byte, code & 15, isDot) + ofEntry(query, 2 * byte + 1, code >>> 4, isDot))
      byte += 1
    }
    if (isDot) sum - (quantizer.parts - 1).toFloat else sum
  }

  private def ofEntry(query: Array[Float], part: Int, entry: Int, isDot: Boolean): Float = {
    val at = (part * entries + entry) * size
    if (isDot) 1f - RowKernels.partialProduct(quantizer.codebook, at, query, part * size, size)
    else RowKernels.partialDifference(quantizer.codebook, at, query, part * size, size)
  }

  /** Returns the distances of vectors one by one, until another query is prepared.
    *
    * @param codes
    *   of each vector together
    */
  def each(codes: Array[Byte], isDot: Boolean): NodeDistances = {
    val excess = if (isDot) (quantizer.parts - 1).toFloat else 0f
    if (quantizer.bits == 8) node => ofBytes(codes, node * quantizer.width) - excess
    else node => ofNibbles(codes, node * quantizer.width) - excess
  }

  private def ofBytes(codes: Array[Byte], at: Int): Float = {
    var sum = 0f
    var part = 0
    while (part < quantizer.parts) {
      sum += table(part * entries + (codes(at + part) & 0xff))
      part += 1
    }
    sum
  }

  private def ofNibbles(codes: Array[Byte], at: Int): Float = {
    var sum = 0f
    var pair = 0
    while (2 * pair < quantizer.parts) {
      val code = codes(at + pair) & 0xff
      val low = 2 * pair * entries
      sum += table(low + (code & 15)) + table(low + entries + (code >>> 4))
      pair += 1
    }
    sum
  }

  /** Adds the numbers of four bytes of a code in one pass, and those of the bytes that are left one by one.
    */
  private def addBytes(table: Array[Float], codes: Array[Byte], rows: Int, out: Array[Float]): Unit = {
    val step = if (quantizer.isTransposed) 1 else quantizer.width
    val apart = if (quantizer.isTransposed) rows else 1
    var part = 0
    while (part + 3 < quantizer.width) { addFour(table, part, codes, rows, out); part += 4 }
    while (part < quantizer.width) {
      val base = part * entries
      var at = part * apart
      var i = 0
      while (i < rows) {
        out(i) += table(base + (codes(at) & 0xff))
        at += step
        i += 1
      }
      part += 1
    }
  }

  private def addFour(
      table: Array[Float],
      part: Int,
      codes: Array[Byte],
      rows: Int,
      out: Array[Float]
  ): Unit = {
    val step = if (quantizer.isTransposed) 1 else quantizer.width
    val apart = if (quantizer.isTransposed) rows else 1
    val base = part * 256
    var (a, b, c, d) = (part * apart, (part + 1) * apart, (part + 2) * apart, (part + 3) * apart)
    var i = 0
    while (i < rows) {
      out(i) = out(i) + table(base + (codes(a) & 0xff)) + table(base + 256 + (codes(b) & 0xff)) +
        table(base + 512 + (codes(c) & 0xff)) + table(base + 768 + (codes(d) & 0xff))
      a += step
      b += step
      c += step
      d += step
      i += 1
    }
  }

  /** Adds codes of four bits: the lower half of a byte belongs to the earlier part. */
  private def addNibbles(table: Array[Float], codes: Array[Byte], rows: Int, out: Array[Float]): Unit = {
    val width = quantizer.width
    var pair = 0
    while (pair < width) {
      val low = 2 * pair * entries
      val high = low + entries
      var at = if (quantizer.isTransposed) pair * rows else pair
      val step = if (quantizer.isTransposed) 1 else width
      var i = 0
      while (i < rows) {
        val code = codes(at) & 0xff
        out(i) += table(low + (code & 15)) + table(high + (code >>> 4))
        at += step
        i += 1
      }
      pair += 1
    }
  }
}
