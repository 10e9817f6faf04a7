package io.sparklance.index.text.build

import java.util.Arrays
import java.util.zip.CRC32C

import io.sparklance.index.text.Fst

/** Writes tokens, which come in the order of their bytes, as a finite state transducer: see
  * [[io.sparklance.index.text.Fst]]. The value of a token is its place in this order. Ends that tokens share
  * are written once, as far as they are remembered.
  */
final private[build] class FstWriter {
  private val out = new Bytes(1 << 16)
  out.long(3)
  out.long(0)

  /** The nodes on the way of the last token, which may get further transitions. */
  private var open = Array.fill(64)(new FstNode)
  private var last = Array.emptyByteArray
  private var count = 0L
  private var previous = -1
  private val known = new Array[FstNode](FstWriter.KnownNodes)

  def add(token: Array[Byte]): Unit = {
    require(count == 0 || Arrays.compareUnsigned(last, token) < 0, "tokens must come in order")
    val kept = Arrays.mismatch(last, token) match {
      case -1 => 0
      case at => at
    }
    close(kept)
    if (token.length + 1 > open.length) grow(token.length + 1)
    // Values on the common way are at most those of its first token, so the rest is not below 0.
    var rest = count
    var i = 0
    while (i < kept) { rest -= open(i).lastOutput; i += 1 }
    i = kept
    while (i < token.length) {
      open(i).add(token(i), if (i == kept) rest else 0L)
      open(i + 1).clear()
      i += 1
    }
    open(token.length).isFinal = true
    last = token
    count += 1
  }

  def finish(): Array[Byte] = {
    close(0)
    val root = write(open(0))
    out.long(count)
    out.long(root.toLong)
    val crc = new CRC32C
    crc.update(out.array, 0, out.size)
    val sum = crc.getValue.toInt
    out.int(Integer.rotateRight(sum, 15) + 0xa282ead8)
    Arrays.copyOf(out.array, out.size)
  }

  /** Writes the nodes of the last token after its first `kept` bytes. */
  private def close(kept: Int): Unit = {
    var i = last.length
    while (i > kept) {
      open(i - 1).setTarget(write(open(i)))
      i -= 1
    }
  }

  private def write(node: FstNode): Int =
    if (node.isFinal && node.count == 0) 0
    else {
      val slot = node.hash & (FstWriter.KnownNodes - 1)
      val same = known(slot)
      if (same != null && same.equalTo(node)) same.address
      else {
        val start = out.size
        if (node.count == 1 && !node.isFinal) writeOne(node, start) else writeBranch(node, start)
        previous = out.size - 1
        known(slot) = node.copied(previous)
        previous
      }
    }

  private def writeOne(node: FstNode, start: Int): Unit = {
    val common = Fst.common(node.inputs(0))
    val isNext = node.targets(0) == previous && node.outputs(0) == 0
    if (!isNext) {
      val output = if (node.outputs(0) == 0) 0 else FstWriter.width(node.outputs(0))
      out.low(node.outputs(0), output)
      val delta = FstWriter.delta(start, node.targets(0))
      out.low(delta, FstWriter.width(delta))
      out.byte(FstWriter.width(delta) << 4 | output)
    }
    if (common == 0) out.byte(node.inputs(0).toInt)
    out.byte((if (isNext) 0xc0 else 0x80) | common)
  }

  private def writeBranch(node: FstNode, start: Int): Unit = {
    var (target, output) = (0, 0)
    var i = 0
    while (i < node.count) {
      target = math.max(target, FstWriter.width(FstWriter.delta(start, node.targets(i))))
      if (node.outputs(i) != 0) output = math.max(output, FstWriter.width(node.outputs(i)))
      i += 1
    }
    if (output > 0) {
      if (node.isFinal) out.low(0, output)
      i = node.count - 1
      while (i >= 0) { out.low(node.outputs(i), output); i -= 1 }
    }
    i = node.count - 1
    while (i >= 0) { out.low(FstWriter.delta(start, node.targets(i)), target); i -= 1 }
    i = node.count - 1
    while (i >= 0) { out.byte(node.inputs(i).toInt); i -= 1 }
    if (node.count > 32) writeIndex(node)
    out.byte(target << 4 | output)
    val short = if (node.count <= 63) node.count else 0
    if (short == 0) out.byte(if (node.count == 256) 1 else node.count)
    out.byte((if (node.isFinal) 64 else 0) | short)
  }

  private def writeIndex(node: FstNode): Unit = {
    val places = new Array[Byte](256)
    Arrays.fill(places, -1.toByte)
    var i = 0
    while (i < node.count) { places(node.inputs(i) & 255) = i.toByte; i += 1 }
    i = 0
    while (i < 256) { out.byte(places(i).toInt); i += 1 }
  }

  private def grow(size: Int): Unit = {
    val before = open.length
    open = Arrays.copyOf(open, math.max(size, 2 * before))
    (before until open.length).foreach(i => open(i) = new FstNode)
  }
}

private object FstWriter {

  /** Number of written nodes that are remembered. */
  final private val KnownNodes = 1 << 16

  /** Bytes of a number, at least 1. */
  private def width(value: Long): Int = math.max(1, (71 - java.lang.Long.numberOfLeadingZeros(value)) / 8)

  private def delta(start: Int, target: Int): Long = if (target == 0) 0 else (start - target).toLong
}

/** A node: for each transition its byte, its output and the address to which it leads. */
final private class FstNode(
    var inputs: Array[Byte] = new Array[Byte](2),
    var outputs: Array[Long] = new Array[Long](2),
    var targets: Array[Int] = new Array[Int](2)
) {
  var count: Int = 0
  var isFinal: Boolean = false

  /** Its own address, once it is written. */
  var address: Int = -1

  def lastOutput: Long = outputs(count - 1)

  def clear(): Unit = { count = 0; isFinal = false }

  def add(input: Byte, output: Long): Unit = {
    if (count == inputs.length) {
      inputs = Arrays.copyOf(inputs, 2 * count)
      outputs = Arrays.copyOf(outputs, 2 * count)
      targets = Arrays.copyOf(targets, 2 * count)
    }
    inputs(count) = input
    outputs(count) = output
    count += 1
  }

  def setTarget(target: Int): Unit = targets(count - 1) = target

  def copied(at: Int): FstNode = {
    val copy =
      new FstNode(Arrays.copyOf(inputs, count), Arrays.copyOf(outputs, count), Arrays.copyOf(targets, count))
    copy.count = count
    copy.isFinal = isFinal
    copy.address = at
    copy
  }

  def equalTo(other: FstNode): Boolean =
    count == other.count && isFinal == other.isFinal &&
      Arrays.equals(inputs, 0, count, other.inputs, 0, count) &&
      Arrays.equals(outputs, 0, count, other.outputs, 0, count) &&
      Arrays.equals(targets, 0, count, other.targets, 0, count)

  def hash: Int = {
    var hash = if (isFinal) 1L else 2L
    var i = 0
    while (i < count) {
      hash = (hash ^ inputs(i)) * 0x9e3779b97f4a7c15L
      hash = (hash ^ outputs(i) ^ (targets(i).toLong << 32)) * 0x9e3779b97f4a7c15L
      i += 1
    }
    (hash >>> 40).toInt
  }
}
