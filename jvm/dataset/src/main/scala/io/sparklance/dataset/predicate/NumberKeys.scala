package io.sparklance.dataset.predicate

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  VariableBlock
}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{LogicalType, TimeUnit}

/** Maps numbers of a type to longs in the same order, so that one loop compares all types. */
sealed abstract private[sparklance] class NumberKeys {

  /** Writes the keys of the values at `positions[0 until count]` to `out`. The key of a null is arbitrary. */
  private[sparklance] def gather(
      block: DataBlock,
      positions: Array[Int],
      count: Int,
      out: Array[Long]
  ): Unit

  /** Returns a number's value on the scale of keys, which need not be a key. None if keys cannot represent it
    * exactly.
    */
  protected def keyOf(number: BigDecimal): Option[BigDecimal] = Some(number)

  /** Key of NaNs, if the type has them. */
  private[sparklance] def nan: Option[Long] = None

  /** Whether a key identifies its value; NaNs count as one value. */
  private[sparklance] def tells(key: Long): Boolean = true

  /** Whether any of the values at `positions[0 until count]` is a negative zero. */
  private[dataset] def hasNegativeZero(block: DataBlock, positions: Array[Int], count: Int): Boolean = false

  /** Returns the bits of a key's value; for zero, the positive one. */
  protected def bitsOf(key: Long): Long = key

  /** Appends the value of a key. */
  final private[sparklance] def append(key: Long, block: DataBlock): Unit = {
    val bits = bitsOf(key)
    block match {
      case b: Fixed8Block => b.append(bits.toByte)
      case b: Fixed16Block => b.append(bits.toShort)
      case b: Fixed32Block => b.append(bits.toInt)
      case b: Fixed64Block => b.append(bits)
      case b: FixedBytesBlock =>
        val at = b.extend(1) * b.width
        LittleEndian.putLong(b.bytes, at, bits)
        LittleEndian.putLong(b.bytes, at + 8, bits >> 63)
      case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        throw new IllegalStateException(s"no numbers: ${block.getClass}")
    }
  }

  /** Returns the test for values less than `number`, in the stored unit: unscaled for decimals. */
  final def lessThan(number: BigDecimal): Option[NumberTest] =
    keyOf(number).map(key => NumberKeys.below(key.setScale(0, BigDecimal.RoundingMode.CEILING) - 1))

  final def atMost(number: BigDecimal): Option[NumberTest] =
    keyOf(number).map(key => NumberKeys.below(key.setScale(0, BigDecimal.RoundingMode.FLOOR)))

  final def oneOf(numbers: Vector[BigDecimal]): Option[NumberTest] = {
    val keys = numbers.map(keyOf)
    Option.unless(keys.contains(None))(
      NumberTest.oneOf(keys.flatten.filter(_.isWhole).map(_.toBigInt).filter(_.isValidLong).map(_.toLong))
    )
  }
}

private[sparklance] object NumberKeys {

  /** Returns None for types that are not numbers, and for rare ones. */
  def of(logicalType: LogicalType): Option[NumberKeys] = logicalType match {
    case Bool => Some(Bools)
    case Integer(bits, true) => Some(signed(bits))
    case Integer(bits, false) => Some(unsigned(bits))
    case FloatingPoint(32) => Some(Floats)
    case FloatingPoint(64) => Some(Doubles)
    case Decimal(128, precision, scale) if scale >= 0 && scale <= precision =>
      Some(if (precision <= 18) ShortDecimals else LongDecimals)
    case Date32 | Time(TimeUnit.Second | TimeUnit.Millisecond) => Some(Signed32)
    case Date64 | Time(_) | Timestamp(_, _) | Duration(_) => Some(Signed64)
    case Dictionary(value, _) => of(value)
    case Null | FloatingPoint(_) | BFloat16 | Decimal(_, _, _) | Utf8(_) | Binary(_) | FixedSizeBinary(_) |
        FixedSizeList(_, _) | Struct | List(_, _) | Map | Json | Blob | Unknown(_) =>
      None
  }

  /** Returns the key of a float. -0 has the key of 0; NaNs have one key above all others. */
  def ofFloat(value: Float): Long = floatKey(java.lang.Float.floatToRawIntBits(value)).toLong
  def ofDouble(value: Double): Long = doubleKey(java.lang.Double.doubleToRawLongBits(value))

  private def signed(bits: Int): NumberKeys = bits match {
    case 8 => Signed8
    case 16 => Signed16
    case 32 => Signed32
    case _ => Signed64
  }

  private def unsigned(bits: Int): NumberKeys = bits match {
    case 8 => Unsigned8
    case 16 => Unsigned16
    case 32 => Unsigned32
    case _ => Unsigned64
  }

  /** Returns the test for keys up to `most`. */
  private def below(most: BigDecimal): NumberTest =
    if (most < Long.MinValue) NumberTest.Never
    else NumberTest.Within(Long.MinValue, most.min(BigDecimal(Long.MaxValue)).toLong)

  private val FloatInfinity = 0x7f800000
  private val DoubleInfinity = 0x7ff0000000000000L

  private def floatKey(bits: Int): Int = {
    val magnitude = bits & 0x7fffffff
    if (magnitude > FloatInfinity) Int.MaxValue else if (bits < 0) -magnitude else magnitude
  }

  private def doubleKey(bits: Long): Long = {
    val magnitude = bits & 0x7fffffffffffffffL
    if (magnitude > DoubleInfinity) Long.MaxValue else if (bits < 0) -magnitude else magnitude
  }

  private object Bools extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed8Block].values
      var i = 0
      while (i < count) { out(i) = if (values(at(i)) != 0) 1L else 0L; i += 1 }
    }
  }

  private object Signed8 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed8Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)).toLong; i += 1 }
    }
  }

  private object Unsigned8 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed8Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)) & 0xffL; i += 1 }
    }
  }

  private object Signed16 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed16Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)).toLong; i += 1 }
    }
  }

  private object Unsigned16 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed16Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)) & 0xffffL; i += 1 }
    }
  }

  private object Signed32 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed32Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)).toLong; i += 1 }
    }
  }

  private object Unsigned32 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed32Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)) & 0xffffffffL; i += 1 }
    }
  }

  private object Signed64 extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed64Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)); i += 1 }
    }
  }

  /** Unsigned 64-bit numbers, shifted by 2^63. */
  private object Unsigned64 extends NumberKeys {
    private val Origin = BigDecimal(BigInt(1) << 63)
    override protected def keyOf(number: BigDecimal): Option[BigDecimal] = Some(number - Origin)
    override protected def bitsOf(key: Long): Long = key ^ Long.MinValue

    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val values = block.asInstanceOf[Fixed64Block].values
      var i = 0
      while (i < count) { out(i) = values(at(i)) ^ Long.MinValue; i += 1 }
    }
  }

  private object Floats extends NumberKeys {
    override private[sparklance] def nan: Option[Long] = Some(ofFloat(Float.NaN))
    override private[sparklance] def tells(key: Long): Boolean = key != 0

    override protected def bitsOf(key: Long): Long =
      if (key > FloatInfinity) java.lang.Float.floatToRawIntBits(Float.NaN).toLong
      else if (key < 0) -key | Int.MinValue
      else key

    override private[dataset] def hasNegativeZero(block: DataBlock, at: Array[Int], count: Int): Boolean = {
      val bits = block.asInstanceOf[Fixed32Block].values
      var i = 0
      while (i < count && bits(at(i)) != Int.MinValue) i += 1
      i < count
    }

    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val bits = block.asInstanceOf[Fixed32Block].values
      var i = 0
      while (i < count) { out(i) = floatKey(bits(at(i))).toLong; i += 1 }
    }
  }

  private object Doubles extends NumberKeys {
    override private[sparklance] def nan: Option[Long] = Some(ofDouble(Double.NaN))
    override private[sparklance] def tells(key: Long): Boolean = key != 0

    override protected def bitsOf(key: Long): Long =
      if (key > DoubleInfinity) java.lang.Double.doubleToRawLongBits(Double.NaN)
      else if (key < 0) -key | Long.MinValue
      else key

    override private[dataset] def hasNegativeZero(block: DataBlock, at: Array[Int], count: Int): Boolean = {
      val bits = block.asInstanceOf[Fixed64Block].values
      var i = 0
      while (i < count && bits(at(i)) != Long.MinValue) i += 1
      i < count
    }

    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val bits = block.asInstanceOf[Fixed64Block].values
      var i = 0
      while (i < count) { out(i) = doubleKey(bits(at(i))); i += 1 }
    }
  }

  /** Decimals of at most 18 digits: the lower eight of the 16 bytes determine the value. */
  private object ShortDecimals extends NumberKeys {
    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val bytes = block.asInstanceOf[FixedBytesBlock].bytes
      var i = 0
      while (i < count) {
        val value: Long = LittleEndian.LONG.get(bytes, at(i) << 4)
        out(i) = value
        i += 1
      }
    }
  }

  /** Decimals of more digits: values beyond a long share the highest or the lowest key. */
  private object LongDecimals extends NumberKeys {
    override protected def keyOf(number: BigDecimal): Option[BigDecimal] =
      Option.when(number.abs < BigDecimal(Long.MaxValue) - 1)(number)
    override private[sparklance] def tells(key: Long): Boolean = key != Long.MinValue && key != Long.MaxValue

    private[sparklance] def gather(block: DataBlock, at: Array[Int], count: Int, out: Array[Long]): Unit = {
      val bytes = block.asInstanceOf[FixedBytesBlock].bytes
      var i = 0
      while (i < count) {
        val low: Long = LittleEndian.LONG.get(bytes, at(i) << 4)
        val high: Long = LittleEndian.LONG.get(bytes, (at(i) << 4) + 8)
        out(i) = if (high == low >> 63) low else if (high < 0) Long.MinValue else Long.MaxValue
        i += 1
      }
    }
  }
}
