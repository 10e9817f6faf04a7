package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, DataBlock, Fixed16Block, Fixed32Block, Fixed64Block, Halves}

/** Casts floats. Values that the narrower type lacks are lossy, and become the nearest ones.
  *
  * @param from
  *   width of the source in bits
  */
final private[schemachange] class FloatCast(from: Int, to: Int) extends ValueCast {
  private var numbers = Array.emptyDoubleArray

  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = {
    val n = until - from
    if (numbers.length < n) numbers = new Array[Double](n)
    load(source.values, from, n)
    if (to < this.from)
      check(n, i => if (!source.nulls.isNull(from + i)) lossy.found(numbers(i).toString, from + i))
    store(n, target)
  }

  private def load(source: DataBlock, from: Int, n: Int): Unit = {
    var i = 0
    source match {
      case b: Fixed16Block =>
        while (i < n) { numbers(i) = Halves.number(b.values(from + i) & 0xffff); i += 1 }
      case b: Fixed32Block =>
        while (i < n) { numbers(i) = java.lang.Float.intBitsToFloat(b.values(from + i)).toDouble; i += 1 }
      case b: Fixed64Block =>
        while (i < n) { numbers(i) = java.lang.Double.longBitsToDouble(b.values(from + i)); i += 1 }
      case other => throw new IllegalArgumentException(s"floats in a ${other.getClass}")
    }
  }

  private def check(n: Int, misfit: Int => Unit): Unit = {
    var i = 0
    while (i < n) {
      val number = numbers(i)
      val kept = to match {
        case 16 => Halves.number(Halves.bits(number))
        case _ => number.toFloat.toDouble
      }
      if (kept != number && !number.isNaN) misfit(i)
      i += 1
    }
  }

  private def store(n: Int, target: DataBlock): Unit = {
    var i = 0
    target match {
      case b: Fixed16Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = Halves.bits(numbers(i)).toShort; i += 1 }
      case b: Fixed32Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = java.lang.Float.floatToRawIntBits(numbers(i).toFloat); i += 1 }
      case b: Fixed64Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = java.lang.Double.doubleToRawLongBits(numbers(i)); i += 1 }
      case other => throw new IllegalArgumentException(s"floats for a ${other.getClass}")
    }
  }
}
