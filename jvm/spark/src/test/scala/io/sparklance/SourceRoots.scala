package io.sparklance

/** Paths of main code, from the repository's root. */
object SourceRoots {

  /** Folders of the modules without Spark. */
  val ofCore: Vector[String] = Vector("format", "table", "dataset", "search", "catalog").map(of)
  val ofSpark: String = of("spark")
  val all: Vector[String] = ofCore :+ ofSpark

  private def of(module: String): String = s"jvm/$module/src/main/scala"
}
