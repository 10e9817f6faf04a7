package io.sparklance.index.vector.graph

import java.util.Arrays

/** Nodes with their distances, the greatest on top. Nodes of equal distances leave in the order in which they
  * leave a heap of the reference (Rust's `BinaryHeap`), so that both walk a graph in the same way. Belongs to
  * one thread.
  */
final private[vector] class NodeHeap {
  private var keys = new Array[Float](64)
  private var nodes = new Array[Int](64)
  private var count = 0

  def size: Int = count

  /** The greatest distance. */
  def top: Float = keys(0)

  /** A node of the greatest distance. */
  def topNode: Int = nodes(0)

  def clear(): Unit = count = 0

  def push(distance: Float, node: Int): Unit = {
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count)
      nodes = Arrays.copyOf(nodes, 2 * count)
    }
    count += 1
    rise(count - 1, distance, node)
  }

  /** Removes the top: the last node takes its place, sinks to the bottom, and rises from there. */
  def pop(): Unit = {
    count -= 1
    if (count > 0) {
      val (distance, node) = (keys(count), nodes(count))
      var at = 0
      var child = 1
      while (child < count) {
        if (child + 1 < count && keys(child) <= keys(child + 1)) child += 1
        move(child, at)
        at = child
        child = 2 * at + 1
      }
      rise(at, distance, node)
    }
  }

  /** Copies all nodes, the nearest first, and forgets them. Returns their number. */
  def drain(distances: Array[Float], to: Array[Int]): Int = {
    val n = count
    while (count > 1) {
      count -= 1
      val (distance, node) = (keys(count), nodes(count))
      distances(count) = keys(0)
      to(count) = nodes(0)
      sink(distance, node)
    }
    if (n > 0) {
      distances(0) = keys(0)
      to(0) = nodes(0)
    }
    count = 0
    n
  }

  private def rise(from: Int, distance: Float, node: Int): Unit = {
    var at = from
    var parent = (at - 1) >> 1
    while (at > 0 && distance > keys(parent)) {
      move(parent, at)
      at = parent
      parent = (at - 1) >> 1
    }
    keys(at) = distance
    nodes(at) = node
  }

  private def sink(distance: Float, node: Int): Unit = {
    var at = 0
    var child = greaterChild(at)
    while (child > 0 && distance < keys(child)) {
      move(child, at)
      at = child
      child = greaterChild(at)
    }
    keys(at) = distance
    nodes(at) = node
  }

  /** Returns the place of the greater child, of equal ones the second; 0 if there is none. */
  private def greaterChild(at: Int): Int = {
    val left = 2 * at + 1
    if (left >= count) 0
    else if (left + 1 < count && keys(left) <= keys(left + 1)) left + 1
    else left
  }

  private def move(from: Int, to: Int): Unit = {
    keys(to) = keys(from)
    nodes(to) = nodes(from)
  }
}
