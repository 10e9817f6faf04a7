package io.sparklance.namespace

/** A row of `__manifest`, by the parts of its name. */
sealed private[namespace] trait NamespaceEntry {
  def path: Vector[String]
}

private[namespace] object NamespaceEntry {

  /** @param metadata what was said of it, as [[PropertiesJson]] reads it */
  final case class Namespace(path: Vector[String], metadata: Option[String]) extends NamespaceEntry

  /** @param location as the row has it
    * @param metadata likewise
    */
  final case class Table(path: Vector[String], location: Option[String], metadata: Option[String])
      extends NamespaceEntry {

    /** Its directory, relative to that of all; or what is wrong with its location. Tables lie below that directory, and DROP
      * deletes them.
      */
    def place: Either[String, String] = location.toRight("has no location").flatMap { text =>
      // As in a path: `./a/` is `a`.
      val parts = text.stripSuffix("/").split("/", -1).toVector.filterNot(_ == ".")
      val leaves = parts.isEmpty || parts.exists(part => part.isEmpty || part == "..")
      if (leaves || parts.head == NamespaceManifest.Name || text.contains("://"))
        Left(s"has the location '$text', which is no place in the directory")
      else Right(parts.mkString("/"))
    }
  }

  /** What later writers have, such as views. It takes its name, and is kept.
    *
    * @param kind as the row has it
    */
  final case class Foreign(path: Vector[String], kind: String) extends NamespaceEntry
}
