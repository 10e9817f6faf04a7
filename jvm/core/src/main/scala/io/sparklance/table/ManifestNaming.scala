package io.sparklance.table

/** How the name of a manifest tells its version. A table uses one scheme for all its versions. */
sealed trait ManifestNaming extends Serializable {
  def fileName(version: Long): String
}

/** What the name of a manifest says. */
sealed trait ManifestName

object ManifestName {

  /** A version in the table's history. */
  final case class Attached(version: Long, naming: ManifestNaming) extends ManifestName

  /** A version outside of it, reachable by its number only; bit 63 is set. */
  final case class Detached(version: Long) extends ManifestName
}

object ManifestNaming {

  /** `<version>.manifest`. */
  case object V1 extends ManifestNaming {
    def fileName(version: Long): String = s"${unsigned(version)}.manifest"
  }

  /** `<2^64 - 1 - version, 20 digits>.manifest`, so that the latest version is listed first. */
  case object V2 extends ManifestNaming {
    def fileName(version: Long): String = s"${pad(unsigned(~version))}.manifest"
  }

  def detachedFileName(version: Long): String = s"d${unsigned(version)}.manifest"

  /** None for names of other files: staged manifests, the version hint. */
  def parse(fileName: String): Option[ManifestName] = fileName match {
    case detached(digits) => number(digits).filter(_ < 0).map(ManifestName.Detached(_))
    case attached(digits) if digits.length == 20 =>
      number(digits).map(n => ~n).filter(_ >= 0).map(ManifestName.Attached(_, V2))
    case attached(digits) => number(digits).filter(_ >= 0).map(ManifestName.Attached(_, V1))
    case _ => None
  }

  private val attached = """([0-9]{1,20})\.manifest""".r
  private val detached = """d([0-9]{1,20})\.manifest""".r

  private def unsigned(number: Long): String = java.lang.Long.toUnsignedString(number)

  private def pad(digits: String): String = "0" * (20 - digits.length) + digits

  /** None beyond 64 bits. */
  private def number(digits: String): Option[Long] =
    Option(BigInt(digits)).filter(_.bitLength <= 64).map(_.toLong)
}
