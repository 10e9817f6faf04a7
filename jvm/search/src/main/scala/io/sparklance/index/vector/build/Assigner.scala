package io.sparklance.index.vector.build

/** Finds the nearest of some centroids for many vectors. Belongs to one thread. */
private[build] trait Assigner {

  /** Finds the nearest centroid of each of the vectors `[from, from + rows)`.
    *
    * @param vectors
    *   one after the other
    * @param out
    *   takes the numbers of the centroids, from 0 on
    * @param distances
    *   takes the distances
    */
  def nearest(vectors: Array[Float], from: Int, rows: Int, out: Array[Int], distances: Array[Float]): Unit
}
