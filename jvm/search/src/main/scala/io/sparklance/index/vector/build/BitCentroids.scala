package io.sparklance.index.vector.build

/** Centroids of vectors of bits, whose bytes are whole numbers from 0 to 255. */
final private[build] class BitCentroids(centroids: Array[Float], count: Int, dimension: Int)
    extends Assigner {
  private val bytes = centroids.map(_.toInt.toByte)
  private val vector = new Array[Byte](dimension)

  def nearest(vectors: Array[Float], from: Int, rows: Int, out: Array[Int], distances: Array[Float]): Unit = {
    var row = 0
    while (row < rows) {
      var i = 0
      while (i < dimension) { vector(i) = vectors((from + row) * dimension + i).toInt.toByte; i += 1 }
      out(row) = 0
      distances(row) = Float.PositiveInfinity
      var c = 0
      while (c < count) {
        val bits = differences(c * dimension).toFloat
        if (bits < distances(row)) { distances(row) = bits; out(row) = c }
        c += 1
      }
      row += 1
    }
  }

  private def differences(at: Int): Int = {
    var bits = 0
    var i = 0
    while (i < dimension) { bits += Integer.bitCount((bytes(at + i) ^ vector(i)) & 0xff); i += 1 }
    bits
  }
}
