package io.sparklance.data

/** Versions of the data file format that this library handles, oldest first. */
sealed abstract private[sparklance] class FileVersion(val major: Int, val minor: Int) extends Serializable {

  final def isAfter(other: FileVersion): Boolean =
    major > other.major || major == other.major && minor > other.minor

  /** The name in manifests and options. */
  final def name: String = s"$major.$minor"
  final override def toString: String = name
}

private[sparklance] object FileVersion {

  /** Also called legacy. Files record it as 0.0 to 0.2. */
  case object V0_1 extends FileVersion(0, 1)
  case object V2_0 extends FileVersion(2, 0)
  case object V2_1 extends FileVersion(2, 1)
  case object V2_2 extends FileVersion(2, 2)

  val readable: Vector[FileVersion] = Vector(V0_1, V2_0, V2_1, V2_2)
  val writable: Vector[FileVersion] = Vector(V2_0, V2_1, V2_2)

  /** The version of new tables, as in pylance 14.0.2. */
  val default: FileVersion = V2_2

  def of(major: Int, minor: Int): Option[FileVersion] =
    readable.find(v => v.major == major && v.minor == minor)

  def parse(name: String): Option[FileVersion] = {
    val number = exact(name)
    readable.find(_.name == number)
  }

  /** Resolves an alias of a version to its number; returns other names unchanged. */
  def exact(name: String): String = name.toLowerCase(java.util.Locale.ROOT) match {
    case "legacy" => "0.1"
    case "0.3" => V2_0.name
    case "stable" => V2_2.name
    case "next" => "2.3"
    case number => number
  }
}
