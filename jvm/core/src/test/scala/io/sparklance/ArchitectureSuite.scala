package io.sparklance

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/** Holds the import table of docs/architecture.md: which package may know which. */
class ArchitectureSuite extends AnyFunSuite {

  /** Package → what it may import, as prefixes; its own package, `java`, `scala` and the root's errors go without saying.
    * The longest matching package decides. A name that ends in `.` stands for the package and all below it.
    */
  private val allowed: Map[String, Seq[String]] = {
    val protobuf = Seq("com.google.protobuf.", "scalapb.")
    val hadoop = Seq("org.apache.hadoop.")
    Map(
      "data" -> Nil,
      "schema" -> (Seq("data", "proto.file") ++ protobuf),
      "io" -> Seq("data"),
      "io.hadoop" -> (Seq("io", "data") ++ hadoop),
      "encoding" ->
        (Seq("data", "schema", "encoding.", "proto.encodings", "proto.encodings20") ++ protobuf),
      "encoding.physical" ->
        (Seq("data", "encoding", "encoding.compression", "encoding.physical", "proto.encodings") ++
          protobuf ++
          Seq("com.github.luben.zstd.", "net.jpountz.lz4.")),
      "file" ->
        (Seq(
          "encoding",
          "encoding.logical",
          "encoding.pages",
          "encoding.v01",
          "io",
          "data",
          "schema",
          "proto.file",
          "proto.file2"
        ) ++
          Seq("proto.encodings", "proto.encodings20") ++ protobuf),
      "table" ->
        (Seq("table.", "io", "data", "schema") ++
          Seq("proto.table", "proto.transaction", "proto.rowids", "proto.file") ++ protobuf),
      "table.refs" -> Seq("table", "io", "data", "com.fasterxml.jackson."),
      "table.deletion" ->
        Seq("table", "io", "data", "proto.table", "org.roaringbitmap.", "com.github.luben.zstd."),
      "table.index" ->
        Seq(
          "table",
          "table.deletion",
          "data",
          "proto.table",
          "org.roaringbitmap.",
          "com.google.protobuf."
        ),
      "stores" -> (Seq("stores.dynamodb", "io.hadoop", "io", "table.commit") ++ hadoop),
      "stores.dynamodb" -> (Seq("table.commit", "software.amazon.awssdk.") ++ hadoop),
      "dataset" ->
        Seq(
          "dataset.",
          "file",
          "encoding.compression",
          "encoding.logical",
          "encoding.pages",
          "table.",
          "io",
          "data",
          "schema",
          "proto.transaction",
          "org.slf4j."
        ),
      "dataset.predicate" -> Seq("data", "schema"),
      "dataset.order" -> Seq("dataset.predicate", "data", "schema"),
      "dataset.statistics" -> Seq("dataset.order", "dataset.predicate", "data", "schema"),
      "namespace" ->
        Seq(
          "dataset",
          "dataset.scan",
          "dataset.write",
          "table",
          "table.commit",
          "io",
          "data",
          "schema",
          "com.fasterxml.jackson."
        )
    ) ++ sparkModule
  }

  /** The rows of the Spark module, from the ground floor up: a package imports only from packages of the rows above it, and from core. */
  private def sparkModule: Seq[(String, Seq[String])] = {
    val spark = Seq("org.apache.spark.")
    val jackson = Seq("com.fasterxml.jackson.")
    val hadoop = Seq("org.apache.hadoop.")
    val logging = Seq("org.slf4j.")
    Seq(
      "spark.session" -> (Seq("dataset.", "io", "stores") ++ spark ++ hadoop),
      "spark.types" -> (Seq("spark.session") ++ Seq("dataset.", "schema") ++ spark ++ jackson),
      "spark.history" -> (Seq("dataset.", "table", "table.transaction") ++ spark),
      "spark.options" ->
        (Seq("spark.history", "spark.session", "spark.types") ++
          Seq("dataset.", "data", "io", "schema", "stores", "table", "table.transaction") ++ spark ++ hadoop),
      "spark.read" ->
        (Seq("spark.session", "spark.types") ++ Seq("dataset.", "data", "io", "schema", "stores") ++ spark),
      "spark.write" ->
        (Seq("spark.history", "spark.session", "spark.types", "spark.options", "spark.read") ++
          Seq("dataset.", "data", "schema", "table", "table.commit", "table.transaction") ++ spark ++
          logging),
      "spark.schemachange" ->
        (Seq("spark.history", "spark.session", "spark.types", "spark.options", "spark.write") ++
          Seq("dataset.", "data", "io", "schema", "table", "table.transaction") ++ spark),
      "spark.rowlevel" ->
        (Seq("spark.history", "spark.session", "spark.options", "spark.read", "spark.write") ++
          Seq("dataset.", "data", "table", "table.commit", "table.transaction") ++ spark),
      "spark.table" ->
        (Seq(
          "spark.history",
          "spark.session",
          "spark.types",
          "spark.options",
          "spark.read",
          "spark.write",
          "spark.rowlevel"
        ) ++ Seq("dataset.", "schema") ++ spark),
      "spark.backfill" ->
        (Seq(
          "spark.history",
          "spark.session",
          "spark.types",
          "spark.options",
          "spark.read",
          "spark.write",
          "spark.schemachange",
          "spark.table"
        ) ++ Seq("dataset.", "io", "schema", "table", "table.commit", "table.transaction") ++ spark ++
          logging),
      "spark.metadata" ->
        (Seq("spark.history", "spark.session", "spark.options") ++
          Seq("dataset.", "file", "schema", "table", "table.index", "table.refs") ++ spark),
      "spark.maintenance" ->
        (Seq("spark.session", "spark.write") ++ Seq("dataset.", "table", "table.transaction") ++ spark),
      "spark.procedures" ->
        (Seq(
          "spark.history",
          "spark.session",
          "spark.options",
          "spark.schemachange",
          "spark.table",
          "spark.backfill",
          "spark.metadata",
          "spark.maintenance"
        ) ++ Seq("dataset.", "schema", "table", "table.commit", "table.refs", "table.transaction") ++ spark ++
          jackson ++ hadoop),
      "spark.aliases" -> (Seq("spark.session", "spark.procedures") ++ spark),
      "spark.functions" -> (Seq("spark.session") ++ Seq("dataset.") ++ spark),
      "spark.catalog" ->
        (Seq(
          "spark.history",
          "spark.session",
          "spark.types",
          "spark.options",
          "spark.write",
          "spark.schemachange",
          "spark.table",
          "spark.metadata"
        ) ++ Seq("dataset.", "data", "namespace", "schema", "table", "table.commit", "table.transaction") ++
          spark),
      "spark" ->
        (Seq(
          "spark.history",
          "spark.session",
          "spark.types",
          "spark.options",
          "spark.write",
          "spark.table",
          "spark.backfill",
          "spark.metadata",
          "spark.procedures",
          "spark.aliases",
          "spark.functions",
          "spark.catalog"
        ) ++ Seq("dataset.", "namespace") ++ spark ++ logging)
    )
  }

  /** `import a.b.C` or `import a.b.{C, D => E}`; an import from a value in scope starts with a lower-case name of its own. */
  private val importLine =
    """^\s*import\s+((?:io|org|com|net|java|javax|scala|scalapb)\.[\w.]+?)\.?(\{.*|_|\*)?$""".r

  test("every import is one that the table allows") {
    val wrong = for {
      file <- sources
      home = packageOf(file)
      if home.nonEmpty
      target <- importsOf(file)
      if !mayImport(home, target)
    } yield s"${file.getFileName} in $home imports $target"
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }

  test("every package has a row in the table, and every row a package") {
    val packages = sources.map(packageOf).filter(_.nonEmpty).toSet
    val rows = packages.map(ruleFor)
    assert(allowed.keySet.diff(rows) === Set.empty, "rows without a package")
  }

  test("each package of the Spark module has a row, and imports only packages of the rows above it") {
    val order = sparkModule.map(_._1)
    val packages = sources.map(packageOf).filter(name => name == "spark" || name.startsWith("spark.")).toSet
    assert(packages === order.toSet)
    val upward = for {
      ((home, imports), at) <- sparkModule.zipWithIndex
      target <- imports.filter(_.startsWith("spark"))
      if !order.take(at).contains(target)
    } yield s"$home may import $target, which is not above it"
    assert(upward.isEmpty, upward.mkString("\n", "\n", ""))
  }

  test("Spark's internals that differ between its versions are not used") {
    val banned = Seq("CatalogV2Util", "CatalogManager", "ViewCatalog", "sun.misc.Unsafe")
    val wrong = for (file <- sources; name <- banned; if read(file).contains(name)) yield s"$file uses $name"
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }

  private def mayImport(home: String, target: String): Boolean = {
    val own = target.stripPrefix("io.sparklance.")
    if (target.startsWith("java") || target.startsWith("scala.")) true
    else if (own.head.isUpper || own == "io.sparklance") true
    else
      (home +: allowed(ruleFor(home))).exists { rule =>
        if (rule.endsWith(".")) (own + ".").startsWith(rule) else packageOfName(own) == rule
      }
  }

  /** The row of the table for a package: its own or the nearest enclosing one's. */
  private def ruleFor(home: String): String =
    allowed.keys
      .filter(rule => home == rule || home.startsWith(rule + "."))
      .maxByOption(_.length)
      .getOrElse(fail(s"package $home has no row in the import table"))

  /** `a.b.Type.member` → `a.b`. */
  private def packageOfName(name: String): String = name.split('.').takeWhile(!_.head.isUpper).mkString(".")

  private def importsOf(file: Path): Seq[String] =
    read(file).replaceAll("""\{\s*\n\s*""", "{").linesIterator.collect {
      case importLine(parent, names) if names != null && names.startsWith("{") =>
        names.stripPrefix("{").stripSuffix("}").split(',').map(n =>
          s"$parent.${n.trim.takeWhile(!_.isWhitespace)}"
        ).toSeq
      case importLine(name, _) => Seq(name)
    }.flatten.toSeq

  private def packageOf(file: Path): String =
    read(file).linesIterator
      .find(_.startsWith("package "))
      .map(_.stripPrefix("package ").trim.stripPrefix("io.sparklance").stripPrefix("."))
      .getOrElse("")

  private def read(file: Path): String = Files.readString(file)

  private lazy val sources: Seq[Path] =
    Seq("jvm/core/src/main/scala", "jvm/spark/src/main/scala").flatMap {
      root =>
        val files = Files.walk(Path.of(root))
        try files.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector
        finally files.close()
    }
}
