package io.sparklance.dataset.statistics

import java.util.Arrays

import io.sparklance.data.{DataBlock, VariableBlock}

/** Extreme of byte strings. */
final private class BytesExtreme(end: End, found: DataBlock) extends Extreme(found) {
  private val kept = found.asInstanceOf[VariableBlock]

  def add(values: DataBlock, positions: Array[Int], count: Int): Unit = {
    val block = values.asInstanceOf[VariableBlock]
    var i = 0
    while (i < count) {
      val at = positions(i)
      if (isBefore(block.bytes, block.offsets(at), block.offsets(at + 1))) keep(values, at)
      i += 1
    }
  }

  private def isBefore(bytes: Array[Byte], from: Int, to: Int): Boolean = kept.length == 0 || {
    val order = Arrays.compareUnsigned(bytes, from, to, kept.bytes, 0, kept.byteLength)
    end match {
      case End.Least => order < 0
      case End.Greatest => order > 0
    }
  }

  def isTold(bounds: ZoneBounds, zone: Int): Boolean = (bounds, end) match {
    case (bytes: ZoneBounds.Bytes, End.Least) => bytes.exactness.least(zone)
    case (bytes: ZoneBounds.Bytes, End.Greatest) => bytes.exactness.most(zone)
    case (_: ZoneBounds.Numbers | ZoneBounds.Unknown, _) => false
  }

  def addBound(bounds: ZoneBounds, zone: Int): Unit = if (mayChange(bounds, zone))
    bound(bounds, zone).foreach {
      value =>
        kept.clear()
        kept.append(value, 0, value.length)
    }

  def mayChange(bounds: ZoneBounds, zone: Int): Boolean =
    bound(bounds, zone).forall(value => isBefore(value, 0, value.length))

  def compare(bounds: ZoneBounds, zone: Int, others: ZoneBounds, other: Int): Int =
    (bound(bounds, zone), bound(others, other)) match {
      case (Some(a), Some(b)) =>
        end match {
          case End.Least => Arrays.compareUnsigned(a, b)
          case End.Greatest => Arrays.compareUnsigned(b, a)
        }
      case (a, b) => a.size - b.size
    }

  /** Returns the bound of a zone, or None without one. */
  private def bound(bounds: ZoneBounds, zone: Int): Option[Array[Byte]] = (bounds, end) match {
    case (bytes: ZoneBounds.Bytes, End.Least) => Some(bytes.least(zone))
    case (bytes: ZoneBounds.Bytes, End.Greatest) =>
      bytes.most(zone) match {
        case ZoneBounds.AtMost(value) => Some(value)
        case ZoneBounds.Unbounded => None
      }
    case (_: ZoneBounds.Numbers | ZoneBounds.Unknown, _) => None
  }
}
