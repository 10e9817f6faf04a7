package io.sparklance

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** The packages that a Scala file refers to: by imports, by fully qualified names, and by the names of
  * subpackages.
  *
  * @param home
  *   the file's package, without `io.sparklance.`; empty for the root
  * @param targets
  *   full names of the types and packages, our own without `io.sparklance.`
  */
final case class PackageReferences(file: String, home: String, targets: Vector[String])

object PackageReferences {
  private val Root = "io.sparklance"
  private val comment = """(?s)/\*.*?\*/|//[^\n]*""".r
  private val string = "(?s)\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"".r
  private val packageClause = """(?m)^package ([\w.]+)""".r
  private val importClause = """(?s)\bimport\s+((?:\w+\.)+)(\{[^}]*\}|\w+)""".r
  private val qualified = """(?<![\w.])io\.sparklance\.[\w.]+""".r
  private val libraries = Set("io", "org", "com", "net", "java", "javax", "scala", "scalapb", "software")

  /** Reads all files below the source roots. */
  def in(roots: Vector[String]): Vector[PackageReferences] = {
    val texts = roots.flatMap(sources).map(file => file.getFileName.toString -> Files.readString(file))
    val packages = texts.map { case (_, text) => homeOf(text) }.toSet
    texts.map { case (file, text) => of(file, text, packages) }
  }

  /** The Scala files below a source root. */
  def sources(root: String): Vector[Path] = {
    val files = Files.walk(Path.of(root))
    try files.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector
    finally files.close()
  }

  /** @param packages all packages of the source roots, to recognise names of subpackages */
  def of(file: String, text: String, packages: Set[String]): PackageReferences = {
    val code = comment.replaceAllIn(string.replaceAllIn(text, "\"\""), "")
    val home = homeOf(text)
    val body = importClause.replaceAllIn(code, "")
    val all = imports(code) ++ qualified.findAllIn(body) ++ inSubpackages(home, body, packages)
    PackageReferences(file, home, all.map(_.stripPrefix(s"$Root.")).distinct)
  }

  /** `a.b.Type.member` → `a.b`. */
  def packageOf(name: String): String =
    name.split('.').takeWhile(part => part.head.isLower).mkString(".")

  private def homeOf(text: String): String =
    packageClause.findFirstMatchIn(text).fold("")(_.group(1).stripPrefix(Root).stripPrefix("."))

  /** `import a.b.{C, D => E}` → `a.b.C`, `a.b.D`; imports from values in scope are left out. */
  private def imports(code: String): Vector[String] =
    importClause.findAllMatchIn(code).toVector.flatMap { m =>
      val parent = m.group(1)
      val names = m.group(2).stripPrefix("{").stripSuffix("}").split(',').toVector
      if (libraries(parent.takeWhile(_ != '.')))
        names.map(name => parent + name.trim.takeWhile(!_.isWhitespace))
      else Vector.empty
    }

  /** The package `a` sees its subpackage `a.b` as `b`. */
  private def inSubpackages(home: String, body: String, packages: Set[String]): Vector[String] = {
    val outer = if (home.isEmpty) "" else s"$home."
    packages.toVector.filter(name => name.startsWith(outer) && name.length > outer.length).flatMap { inner =>
      val name = inner.stripPrefix(outer).replace(".", "\\.")
      s"(?<![\\w.])$name\\.([A-Z]\\w*)".r.findAllMatchIn(body).map(found => s"$inner.${found.group(1)}")
    }
  }
}
