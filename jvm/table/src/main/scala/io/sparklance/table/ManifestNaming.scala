package io.sparklance.table

/** A scheme of manifest names. A table uses one scheme for all its versions. */
sealed private[sparklance] trait ManifestNaming extends Serializable {
  def fileName(version: Long): String
}

private[sparklance] object ManifestNaming {

  /** `<version>.manifest`. */
  case object V1 extends ManifestNaming {
    def fileName(version: Long): String = s"${unsigned(version)}.manifest"
  }

  /** `<2^64 - 1 - version, 20 digits>.manifest`, so that the latest version is listed first. */
  case object V2 extends ManifestNaming {
    def fileName(version: Long): String = s"${pad(unsigned(~version))}.manifest"
  }

  def detachedFileName(version: Long): String = s"d${unsigned(version)}.manifest"

  /** Returns None for names of other files: staged manifests, the version hint. */
  def parse(fileName: String): Option[ManifestName] =
    if (!fileName.endsWith(Suffix)) None
    else if (fileName.startsWith("d"))
      number(fileName, from = 1).filter(_ < 0).map(ManifestName.Detached(_))
    else if (fileName.length == MaxDigits + Suffix.length)
      number(fileName, from = 0).map(n => ~n).filter(_ >= 0).map(ManifestName.Attached(_, V2))
    else number(fileName, from = 0).filter(_ >= 0).map(ManifestName.Attached(_, V1))

  private val Suffix = ".manifest"

  /** Digits of an unsigned 64-bit number. */
  private val MaxDigits = 20

  private val MostBeforeLastDigit = java.lang.Long.divideUnsigned(-1L, 10)

  private def unsigned(number: Long): String = java.lang.Long.toUnsignedString(number)

  private def pad(digits: String): String = "0" * (MaxDigits - digits.length) + digits

  /** Parses the digits before the suffix, without allocation, because a directory may have many names.
    * Returns None for other characters, and beyond 64 bits.
    */
  private def number(fileName: String, from: Int): Option[Long] = {
    val end = fileName.length - Suffix.length
    var value = 0L
    var i = from
    while (i < end && isDigit(fileName.charAt(i)) && fits(value, fileName.charAt(i) - '0')) {
      value = value * 10 + (fileName.charAt(i) - '0')
      i += 1
    }
    Option.when(i == end && end > from && end - from <= MaxDigits)(value)
  }

  private def isDigit(c: Char): Boolean = c >= '0' && c <= '9'

  /** Whether another digit keeps an unsigned number within 64 bits. */
  private def fits(value: Long, digit: Int): Boolean = {
    val order = java.lang.Long.compareUnsigned(value, MostBeforeLastDigit)
    order < 0 || order == 0 && digit <= 5
  }
}
