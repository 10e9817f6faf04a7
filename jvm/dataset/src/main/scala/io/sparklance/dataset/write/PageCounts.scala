package io.sparklance.dataset.write

import io.sparklance.file.PageFamily

/** Number of written pages by encoding. Pages of version 2.0 are not counted.
  *
  * @param runts
  *   pages, of any encoding, that are too small for want of buffers
  */
final private[sparklance] case class PageCounts(
    constant: Long = 0,
    dictionary: Long = 0,
    bitPacked: Long = 0,
    runs: Long = 0,
    symbols: Long = 0,
    compressed: Long = 0,
    packedStructs: Long = 0,
    plain: Long = 0,
    runts: Long = 0
) {
  def +(other: PageCounts): PageCounts = PageCounts(
    constant + other.constant,
    dictionary + other.dictionary,
    bitPacked + other.bitPacked,
    runs + other.runs,
    symbols + other.symbols,
    compressed + other.compressed,
    packedStructs + other.packedStructs,
    plain + other.plain,
    runts + other.runts
  )

  private[dataset] def and(page: PageFamily): PageCounts = page match {
    case PageFamily.Constant => copy(constant = constant + 1)
    case PageFamily.Dictionary => copy(dictionary = dictionary + 1)
    case PageFamily.BitPacked => copy(bitPacked = bitPacked + 1)
    case PageFamily.Runs => copy(runs = runs + 1)
    case PageFamily.Symbols => copy(symbols = symbols + 1)
    case PageFamily.Compressed => copy(compressed = compressed + 1)
    case PageFamily.PackedStructs => copy(packedStructs = packedStructs + 1)
    case PageFamily.Plain => copy(plain = plain + 1)
  }
}

private[sparklance] object PageCounts {
  def of(files: Vector[WrittenFile]): PageCounts = files.flatMap(_.all).map(_.pages).fold(PageCounts())(_ + _)
}
