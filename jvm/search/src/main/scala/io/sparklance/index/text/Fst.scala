package io.sparklance.index.text

import java.nio.charset.StandardCharsets

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice

/** Reads the tokens of a partition from a finite state transducer, in the order of their bytes:
  * {{{
  * u64 3 · u64 0 · nodes · u64 number of keys · u64 address of the root · u32 checksum
  * }}}
  * A node is read backwards from its last byte, the state, whose offset is its address. Targets of its
  * transitions have lower addresses; address 0 is a final node without transitions.
  * {{{
  * state 11cccccc    [input] state                                   one transition to the node before
  * state 10cccccc    output · delta · sizes · [input] · state        one transition
  * state 0fnnnnnn    [final output] · outputs · deltas · inputs · [index of 256 bytes] · sizes · [count] · state
  * }}}
  * `sizes` has the bytes of a delta in its upper four bits, those of an output in the lower. The value of a
  * key is the sum of the outputs on its way.
  */
final private[text] class Fst(bytes: Slice) {
  import Fst._

  if (bytes.length < 36 || bytes.long(0) != 3)
    throw new LanceFormatException(
      s"the tokens of a text index are in no known form, of ${bytes.length} bytes"
    )

  /** Number of keys. */
  val count: Long = bytes.long(bytes.length - 20)

  private val root = bytes.long(bytes.length - 12)

  /** Passes all keys on, with their values. */
  def foreach(maxSteps: Long)(use: (Array[Byte], Int, Long) => Unit): Unit = {
    var key = new Array[Byte](64)
    var stack = new Array[Node](64)
    var next = new Array[Int](64)
    var sums = new Array[Long](64)
    var depth = 0
    var steps = 0L
    stack(0) = node(root, bytes.length)
    while (depth >= 0) {
      val here = stack(depth)
      if (next(depth) == 0 && here.isFinal) use(key, depth, sums(depth) + here.finalOutput)
      if (next(depth) < here.count) {
        steps += 1
        if (steps > maxSteps) throw new LanceFormatException("the tokens of a text index go on without end")
        val i = next(depth)
        next(depth) = i + 1
        if (depth + 2 > stack.length) {
          key = java.util.Arrays.copyOf(key, 2 * key.length)
          stack = java.util.Arrays.copyOf(stack, 2 * stack.length)
          next = java.util.Arrays.copyOf(next, 2 * next.length)
          sums = java.util.Arrays.copyOf(sums, 2 * sums.length)
        }
        key(depth) = here.input(i)
        stack(depth + 1) = node(here.target(i), here.start)
        sums(depth + 1) = sums(depth) + here.output(i)
        next(depth + 1) = 0
        depth += 1
      } else depth -= 1
    }
  }

  /** @param below
    *   a node has a lower address than those that lead to it
    */
  private def node(address: Long, below: Int): Node =
    if (address == 0) new Node(0, isFinal = true, 0, 0, 0, 0, 0, 0)
    else {
      if (address < FirstNode || address >= below)
        throw new LanceFormatException(s"the tokens of a text index have a node at $address")
      val at = address.toInt
      val state = bytes.unsignedByte(at)
      if (state >= 0xc0) {
        val start = if ((state & 63) == 0) at - 1 else at
        new Node(1, isFinal = false, start, at, -1, 0, 0, 0)
      } else if (state >= 0x80) {
        val sizesAt = if ((state & 63) == 0) at - 2 else at - 1
        val sizes = bytes.unsignedByte(sizesAt)
        new Node(
          1,
          isFinal = false,
          sizesAt - (sizes >> 4) - (sizes & 15),
          at,
          sizesAt,
          sizes >> 4,
          sizes & 15,
          0
        )
      } else branch(at, state)
    }

  private def branch(at: Int, state: Int): Node = {
    val short = state & 63
    val stored = if (short == 0) bytes.unsignedByte(at - 1) else short
    val count = if (short == 0 && stored == 1) 256 else stored
    val sizesAt = if (short == 0) at - 2 else at - 1
    val (target, output) = (bytes.unsignedByte(sizesAt) >> 4, bytes.unsignedByte(sizesAt) & 15)
    val inputsEnd = sizesAt - (if (count > 32) 256 else 0)
    val isFinal = (state & 64) != 0
    val start = inputsEnd - count * (1 + target + output) - (if (isFinal) output else 0)
    if (start < FirstNode || target > 8 || output > 8)
      throw new LanceFormatException(s"the tokens of a text index have a damaged node at $at")
    new Node(count, isFinal, start, at, sizesAt, target, output, inputsEnd)
  }

  /** @param inputsEnd
    *   end of the inputs; 0 for nodes with one transition
    */
  final private class Node(
      val count: Int,
      val isFinal: Boolean,
      val start: Int,
      at: Int,
      sizesAt: Int,
      targetBytes: Int,
      outputBytes: Int,
      inputsEnd: Int
  ) {
    def input(i: Int): Byte =
      if (inputsEnd > 0) bytes.unsignedByte(inputsEnd - 1 - i).toByte
      else {
        val common = bytes.unsignedByte(at) & 63
        if (common == 0) bytes.unsignedByte(at - 1).toByte else Common(common - 1)
      }

    def target(i: Int): Long =
      if (inputsEnd > 0) relative(word(inputsEnd - count - (i + 1) * targetBytes, targetBytes))
      else if (sizesAt < 0) start - 1L
      else relative(word(sizesAt - targetBytes, targetBytes))

    def output(i: Int): Long =
      if (outputBytes == 0) 0
      else if (inputsEnd > 0)
        word(inputsEnd - count * (1 + targetBytes) - (i + 1) * outputBytes, outputBytes)
      else word(sizesAt - targetBytes - outputBytes, outputBytes)

    def finalOutput: Long = if (outputBytes > 0 && isFinal) word(start, outputBytes) else 0

    private def relative(delta: Long): Long = if (delta == 0) 0 else start - delta
  }

  private def word(at: Int, size: Int): Long = {
    var value = 0L
    var i = size - 1
    while (i >= 0) { value = value << 8 | bytes.unsignedByte(at + i); i -= 1 }
    value
  }
}

private[text] object Fst {
  final private val FirstNode = 16

  /** Inputs that a state names by their place here, from 1 on. */
  private val Common: Array[Byte] =
    "te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG".getBytes(StandardCharsets.US_ASCII)

  private val places = {
    val all = new Array[Byte](256)
    Common.indices.foreach(i => all(Common(i) & 255) = (i + 1).toByte)
    all
  }

  /** Returns the number by which a state names an input; 0 if it has none. */
  def common(input: Byte): Int = places(input & 255).toInt
}
