package io.sparklance.index.build

import java.nio.ByteBuffer

import scala.annotation.unused

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
import io.sparklance.schema.LogicalType
import io.sparklance.schema.LogicalType._

/** Maps the values of a type to keys in the order of indices, and back: unsigned numbers by value, floats in
  * IEEE's total order (-0.0 before 0.0, NaN last), byte strings by unsigned bytes.
  *
  * @tparam K
  *   `java.lang.Long`, or an array of bytes that are compared unsigned
  */
sealed abstract private[sparklance] class IndexKeys[K <: AnyRef] extends Product with Serializable {

  /** Returns the key of value `i`, which is not null. */
  def of(values: DataBlock, i: Int): K

  /** Returns the key of value `i`, or the first `most` bytes of a byte string. */
  def prefix(values: DataBlock, i: Int, most: Int): K

  /** Appends the value of a key. */
  def append(key: K, values: DataBlock): Unit

  def compare(a: K, b: K): Int

  /** Compares keys that are null for null, which comes first. */
  final def compareOrNull(a: K, b: K): Int =
    if (a == null || b == null) java.lang.Boolean.compare(a != null, b != null) else compare(a, b)

  /** Returns an object that is equal for equal keys. */
  def hashable(key: K): AnyRef

  /** Returns the key of such an object. */
  def unhashed(hashable: AnyRef): K

  /** Bytes of a key in memory, about. */
  def sizeInBytes(key: K): Long

  /** Returns an empty buffer of keys. */
  def buffer: KeyBuffer[K]

  /** Whether a key is that of a NaN. */
  def isNaN(key: K): Boolean

  /** Key of the canonical NaN, if the type has one. */
  def nan: Option[K]
}

private[sparklance] object IndexKeys {

  /** Keys of signed numbers. */
  val ofNumbers: NumberIndexKeys = NumberIndexKeys(NumberForm.Signed)

  /** Returns None for types without an order. */
  def of(logicalType: LogicalType): Option[IndexKeys[_ <: AnyRef]] = logicalType match {
    case Bool | Integer(_, true) | Date32 | Date64 | Time(_) | Timestamp(_, _) | Duration(_) =>
      Some(NumberIndexKeys(NumberForm.Signed))
    case Integer(bits, false) => Some(NumberIndexKeys(NumberForm.Unsigned(bits)))
    case FloatingPoint(bits) => Some(NumberIndexKeys(NumberForm.TotalOrder(bits)))
    case Decimal(128, precision, _) if precision <= 18 => Some(NumberIndexKeys(NumberForm.Signed))
    case Decimal(_, _, _) => Some(ByteIndexKeys(isDecimal = true))
    case Utf8(_) | Binary(_) => Some(ByteIndexKeys(isDecimal = false))
    case FixedSizeBinary(width @ (1 | 2 | 4 | 8)) => Some(NumberIndexKeys(NumberForm.Bytes(8 * width)))
    case FixedSizeBinary(width) => Option.when(width > 0)(ByteIndexKeys(isDecimal = false))
    case Null | BFloat16 | FixedSizeList(_, _) | Struct | List(_, _) | Map | Dictionary(_, _) | Json | Blob |
        Unknown(_) =>
      None
  }
}

/** Keys of numbers of up to 64 bits. */
final private[sparklance] case class NumberIndexKeys(form: NumberForm) extends IndexKeys[java.lang.Long] {

  def of(values: DataBlock, i: Int): java.lang.Long = Long.box(number(values, i))

  def prefix(values: DataBlock, i: Int, most: Int): java.lang.Long = of(values, i)

  def append(key: java.lang.Long, values: DataBlock): Unit = appendNumber(key, values)

  /** Returns the key of value `i`, which is not null. */
  private[build] def number(values: DataBlock, i: Int): Long = form.key(values match {
    case block: Fixed8Block => block.values(i).toLong
    case block: Fixed16Block => block.values(i).toLong
    case block: Fixed32Block => block.values(i).toLong
    case block: Fixed64Block => block.values(i)
    case block: FixedBytesBlock => LittleEndian.long(block.bytes, i * block.width)
    case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock => throw unfit(values)
  })

  /** Appends the value of a key. */
  private[build] def appendNumber(key: Long, values: DataBlock): Unit = {
    val bits = form.bits(key)
    values match {
      case block: Fixed8Block => block.append(bits.toByte)
      case block: Fixed16Block => block.append(bits.toShort)
      case block: Fixed32Block => block.append(bits.toInt)
      case block: Fixed64Block => block.append(bits)
      case block: FixedBytesBlock =>
        val at = block.extend(1) * block.width
        LittleEndian.putLong(block.bytes, at, bits)
        LittleEndian.putLong(block.bytes, at + 8, bits >> 63)
      case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock => throw unfit(values)
    }
  }

  /** Returns the key of a lower bound of the kind that statistics have, which know one zero. */
  private[build] def leastOf(bound: Long): Long = form match {
    case NumberForm.TotalOrder(_) => if (bound <= 0) bound - 1 else bound
    case NumberForm.Signed | NumberForm.Unsigned(_) | NumberForm.Bytes(_) => bound
  }

  /** Returns the key of an upper bound. */
  private[build] def mostOf(bound: Long): Long = form match {
    case NumberForm.TotalOrder(_) => if (bound < 0) bound - 1 else bound
    case NumberForm.Signed | NumberForm.Unsigned(_) | NumberForm.Bytes(_) => bound
  }

  def compare(a: java.lang.Long, b: java.lang.Long): Int = a.compareTo(b)
  def hashable(key: java.lang.Long): AnyRef = key
  def unhashed(hashable: AnyRef): java.lang.Long = hashable.asInstanceOf[java.lang.Long]
  def sizeInBytes(key: java.lang.Long): Long = 24
  def buffer: KeyBuffer[java.lang.Long] = new NumberKeyBuffer(this)
  def isNaN(key: java.lang.Long): Boolean = form.isNaN(key)
  def nan: Option[java.lang.Long] = form.nan.map(Long.box)

  private def unfit(values: DataBlock) = new IllegalStateException(s"no numbers: ${values.getClass}")
}

/** Maps the bits of a number, with its sign extended to 64 bits, to a signed number in the order of an index.
  */
sealed abstract private[build] class NumberForm extends Product with Serializable {
  def key(bits: Long): Long

  /** Returns the bits of a key; those above the number's width are arbitrary. */
  def bits(key: Long): Long

  def isNaN(@unused key: Long): Boolean = false
  def nan: Option[Long] = None
}

private[build] object NumberForm {
  case object Signed extends NumberForm {
    def key(bits: Long): Long = bits
    def bits(key: Long): Long = key
  }

  final case class Unsigned(width: Int) extends NumberForm {
    def key(bits: Long): Long = if (width == 64) bits ^ Long.MinValue else bits & (1L << width) - 1
    def bits(key: Long): Long = if (width == 64) key ^ Long.MinValue else key
  }

  /** Floats: sign and magnitude. */
  final case class TotalOrder(width: Int) extends NumberForm {
    private val magnitude = Long.MaxValue >>> 64 - width
    def key(bits: Long): Long = if (bits < 0) bits ^ magnitude else bits
    def bits(number: Long): Long = key(number)

    private val infinity = width match {
      case 16 => 0x7c00L
      case 32 => 0x7f800000L
      case _ => 0x7ff0000000000000L
    }
    override def isNaN(key: Long): Boolean = key > infinity || key < this.key(infinity | ~magnitude)
    override def nan: Option[Long] = Some(infinity | (infinity & -infinity) >> 1)
  }

  /** Byte strings, the first byte lowest. */
  final case class Bytes(width: Int) extends NumberForm {
    private val order = Unsigned(width)
    def key(bits: Long): Long = order.key(java.lang.Long.reverseBytes(bits) >> 64 - width)
    def bits(key: Long): Long = java.lang.Long.reverseBytes(order.bits(key) << 64 - width)
  }
}

/** Keys of byte strings, and of decimals: big-endian with the sign's bit inverted. */
final private[sparklance] case class ByteIndexKeys(isDecimal: Boolean) extends IndexKeys[Array[Byte]] {

  def of(values: DataBlock, i: Int): Array[Byte] = values match {
    case block: VariableBlock =>
      java.util.Arrays.copyOfRange(block.bytes, block.offsets(i), block.offsets(i + 1))
    case block: FixedBytesBlock =>
      val bytes = java.util.Arrays.copyOfRange(block.bytes, i * block.width, (i + 1) * block.width)
      if (isDecimal) {
        reverse(bytes)
        bytes(0) = (bytes(0) ^ 0x80).toByte
      }
      bytes
    case other => throw new IllegalStateException(s"no byte strings: ${other.getClass}")
  }

  def prefix(values: DataBlock, i: Int, most: Int): Array[Byte] = values match {
    case block: VariableBlock =>
      val from = block.offsets(i)
      java.util.Arrays.copyOfRange(block.bytes, from, from + math.min(most, block.offsets(i + 1) - from))
    case _ =>
      val key = of(values, i)
      if (key.length <= most) key else key.take(most)
  }

  def append(key: Array[Byte], values: DataBlock): Unit = values match {
    case block: VariableBlock => block.append(key, 0, key.length)
    case block: FixedBytesBlock =>
      val bytes = key.clone()
      if (isDecimal) {
        bytes(0) = (bytes(0) ^ 0x80).toByte
        reverse(bytes)
      }
      val at = block.extend(1)
      System.arraycopy(bytes, 0, block.bytes, at * block.width, block.width)
    case other => throw new IllegalStateException(s"no byte strings: ${other.getClass}")
  }

  def hashable(key: Array[Byte]): AnyRef = ByteBuffer.wrap(key)
  def unhashed(hashable: AnyRef): Array[Byte] = hashable.asInstanceOf[ByteBuffer].array
  def sizeInBytes(key: Array[Byte]): Long = 64L + key.length
  def compare(a: Array[Byte], b: Array[Byte]): Int = java.util.Arrays.compareUnsigned(a, b)
  def buffer: KeyBuffer[Array[Byte]] = new ByteKeyBuffer(this)
  def isNaN(key: Array[Byte]): Boolean = false
  def nan: Option[Array[Byte]] = None

  private def reverse(bytes: Array[Byte]): Unit = {
    var (i, j) = (0, bytes.length - 1)
    while (i < j) {
      val byte = bytes(i)
      bytes(i) = bytes(j)
      bytes(j) = byte
      i += 1
      j -= 1
    }
  }
}
