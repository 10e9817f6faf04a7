package io.sparklance

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

/** Holds the import table of docs/architecture.md: which package may use which. */
class ArchitectureSuite extends AnyFunSuite {
  private lazy val files: Vector[PackageReferences] = PackageReferences.in(SourceRoots.all)

  test("packages refer to each other without cycles") {
    val cycles = PackageCycles.of(files)
    assert(cycles.isEmpty, cycles.mkString("\n", "\n", ""))
  }

  test("every import is one that the table allows") {
    val rows = ImportTable.rows.map(row => row.home -> row).toMap
    val wrong = for {
      file <- files
      if file.home.nonEmpty
      target <- file.targets
      if !rows.get(file.home).exists(_.allows(target))
    } yield s"${file.file} in ${file.home} uses $target"
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }

  test("every package has a row, and every row a package") {
    assert(ImportTable.rows.map(_.home).sorted === files.map(_.home).filter(_.nonEmpty).distinct.sorted)
  }

  test("rows allow only packages of rows above them, and only what is used") {
    val order = ImportTable.rows.map(_.home)
    val used = files.groupMapReduce(_.home)(_.targets.map(PackageReferences.packageOf).toSet)(_ ++ _)
    val wrong = ImportTable.rows.zipWithIndex.flatMap { case (row, at) =>
      row.packages.collect {
        case name if !order.take(at).contains(name) => s"${row.home} may use $name, which has no row above it"
        case name if !used(row.home)(name) => s"${row.home} may use $name, but does not"
      }
    }
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }

  test("cycles are found: by imports, qualified names and names of subpackages") {
    val packages = Set("a", "a.b", "c")
    val files = Seq(
      "A" -> "package io.sparklance.a\nobject A { val inner = b.Inner }",
      "Inner" -> "package io.sparklance.a.b\nimport io.sparklance.c.{\n  C,\n  D => E\n}",
      "C" -> "package io.sparklance.c\nobject C { val a = io.sparklance.a.A } // io.sparklance.a.b.Inner"
    ).map { case (name, text) => PackageReferences.of(name, text, packages) }
    assert(
      PackageCycles.of(files) === Seq(
        "a → a.b: A refers to a.b.Inner",
        "a.b → c: Inner refers to c.C",
        "a.b → c: Inner refers to c.D",
        "c → a: C refers to a.A"
      )
    )
    assert(PackageCycles.of(files.take(2)) === Nil)
  }

  test("Spark's internals that differ between its versions are not used") {
    val banned = Seq("CatalogV2Util", "CatalogManager", "ViewCatalog", "sun.misc.Unsafe")
    val wrong = for {
      file <- SourceRoots.all.flatMap(PackageReferences.sources)
      name <- banned
      if Files.readString(file).contains(name)
    } yield s"$file uses $name"
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }
}
