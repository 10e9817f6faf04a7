package io.sparklance.encoding.compression

import io.sparklance.encoding.compression.DecodeCost._

/** Costs of a value for a reader: its bytes on disk, and nanoseconds of decoding. */
final private[compression] case class DecodeCost(bytes: Double, nanos: Double) {

  /** Nanoseconds of a core that reads 100 MB/s, about its share of a store in a cloud. */
  def total: Double = bytes * NanosPerByte + nanos

  /** Whether it saves a fifth, which is worth any time with which it [[keepsUp]]. */
  def isMuchSmaller(than: DecodeCost): Boolean = bytes <= MostShare * than.bytes

  /** Whether it is better than a form that decodes faster.
    *
    * @param plainBytes
    *   of a value
    */
  def isWorth(faster: DecodeCost, plainBytes: Double): Boolean =
    isMuchSmaller(faster) && faster.bytes - bytes >= LeastOfPlain * plainBytes || total < faster.total

  /** Whether a value of `plainBytes` decodes as fast as a disk of 1 GB/s delivers it as it is. */
  def keepsUp(plainBytes: Double): Boolean = nanos <= plainBytes * MostNanosPerPlainByte
}

/** Nanoseconds of decoding one value in each form, rounded up: CPU time of `CompressedBenchmark` of the
  * module `benchmarks`, on the same machine in one run. Differences below a fifth decide nothing.
  */
private[compression] object DecodeCost {
  final private val NanosPerByte = 10.0
  final private val MostNanosPerPlainByte = 1.0

  /** Largest share of the bytes that is worth more time. */
  final val MostShare = 0.8

  /** Smallest saving that is worth more time, as a share of the plain bytes. With 0.01, scans of TPC-DS's
    * store_sales took 1.3 times the CPU time, and its files 0.95 of the bytes.
    */
  final private val LeastOfPlain = 0.05

  sealed trait Form
  object Form {
    case object Plain extends Form
    case object Packed extends Form
    case object Dictionary extends Form

    /** For runs: nanoseconds of a run. */
    case object Lz4 extends Form
    case object Zstd extends Form
    case object SplitLz4 extends Form
    case object SplitZstd extends Form
  }

  /** @param bits width of the value */
  def nanos(form: Form, bits: Int): Double = form match {
    case Form.Plain => 0.0025 * bits
    case Form.Packed => 0.5
    case Form.Dictionary => 1.5
    case Form.Lz4 => if (bits == 1) 0.3 else if (bits <= 64) 3.6 else 0.022 * bits
    case Form.Zstd => if (bits == 1) 0.8 else if (bits <= 64) 10 else 12
    case Form.SplitLz4 => if (bits <= 32) 2 else 5
    case Form.SplitZstd => if (bits <= 32) 3 else 6
  }
}
