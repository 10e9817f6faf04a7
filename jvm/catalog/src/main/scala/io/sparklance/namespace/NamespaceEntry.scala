package io.sparklance.namespace

/** A row of `__manifest`, by the parts of its name. */
sealed private[namespace] trait NamespaceEntry {
  def path: Vector[String]
}

private[namespace] object NamespaceEntry {

  /** @param metadata its properties as JSON, read by [[PropertiesJson]] */
  final case class Namespace(path: Vector[String], metadata: Option[String]) extends NamespaceEntry

  /** @param location
    *   the row's location
    * @param metadata
    *   the row's metadata
    */
  final case class Table(path: Vector[String], location: Option[String], metadata: Option[String])
      extends NamespaceEntry {

    /** Returns the table's directory, relative to the root, or the fault of its location. Locations outside
      * of the root are refused, because DROP deletes the directory.
      */
    def place: Either[String, String] = location.toRight("has no location").flatMap { text =>
      // As in paths, `./a/` is `a`.
      val parts = text.stripSuffix("/").split("/", -1).toVector.filterNot(_ == ".")
      val leaves = parts.isEmpty || parts.exists(part => part.isEmpty || part == "..")
      if (leaves || parts.head == NamespaceManifest.Name || text.contains("://"))
        Left(s"has the location '$text', which is outside of the directory")
      else Right(parts.mkString("/"))
    }
  }

  /** An object of a later writer, such as a view. Its name is taken, and its row is kept.
    *
    * @param kind
    *   the row's type
    */
  final case class Foreign(path: Vector[String], kind: String) extends NamespaceEntry
}
