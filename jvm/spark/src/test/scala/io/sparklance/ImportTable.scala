package io.sparklance

/** Packages of main code with the packages that each may use, from the ground floor up. Names of the package
  * itself, of the root, of `java` and of `scala` need no entry.
  */
object ImportTable {

  /** @param packages
    *   of ours, by their full names
    * @param libraries
    *   other packages; a name that ends in `.` stands for the package and all below it
    */
  final case class Row(home: String, packages: Vector[String], libraries: Seq[String]) {
    def allows(target: String): Boolean = {
      val name = PackageReferences.packageOf(target)
      name.isEmpty || name == home || packages.contains(name) || libraries.contains(name) ||
      ("java." +: "javax." +: "scala." +: libraries.filter(_.endsWith("."))).exists(target.startsWith)
    }
  }

  private object Row {

    /** @param packages of ours, separated by spaces */
    def apply(home: String, packages: String, libraries: Seq[String]*): Row =
      Row(home, packages.split(' ').toVector.filter(_.nonEmpty), libraries.flatten)
  }

  private val protobuf = Seq("com.google.protobuf.", "scalapb.")
  private val jackson = Seq("com.fasterxml.jackson.")
  private val hadoop = Seq("org.apache.hadoop.")
  private val aws = Seq("software.amazon.awssdk.")
  private val logging = Seq("org.slf4j.")
  private val roaring = Seq("org.roaringbitmap.")
  private val zstd = Seq("com.github.luben.zstd.")
  private val lz4 = Seq("net.jpountz.lz4.")
  private val xxhash = Seq("net.jpountz.xxhash.")
  private val spark = Seq("org.apache.spark.")

  /** Generated classes of protobuf messages. */
  private def messages(packages: String): Seq[String] =
    packages.split(' ').toVector.map(name => s"proto.$name")

  private val core: Vector[Row] = Vector(
    Row("data", ""),
    Row("schema", "data", messages("file"), protobuf),
    Row("vector", "data schema"),
    Row("text.snowball", ""),
    Row("text", "text.snowball"),
    Row("encoding", "data schema", messages("encodings encodings20")),
    Row("encoding.physical", "data encoding", messages("encodings"), lz4, protobuf, zstd),
    Row("encoding.compression", "data schema encoding encoding.physical", messages("encodings")),
    Row(
      "encoding.structural",
      "data encoding encoding.physical encoding.compression",
      messages("encodings"),
      protobuf
    ),
    Row(
      "encoding.v20",
      "data schema encoding encoding.physical encoding.compression",
      messages("encodings20")
    ),
    Row("encoding.v01", "data encoding encoding.physical encoding.v20"),
    Row(
      "encoding.logical",
      "data schema encoding encoding.physical encoding.compression encoding.structural " +
        "encoding.v20",
      messages("encodings")
    ),
    Row(
      "encoding.pages",
      "data encoding encoding.structural encoding.v20 encoding.v01",
      messages("encodings encodings20")
    ),
    Row("io", "data"),
    Row("io.hadoop", "data io", hadoop),
    Row(
      "file",
      "data schema encoding encoding.v01 encoding.logical encoding.pages io",
      messages("encodings encodings20 file file2"),
      protobuf
    ),
    Row("table", "data schema io", messages("table transaction"), protobuf),
    Row("table.deletion", "data io table", roaring, zstd),
    Row("table.rowid", "data table", messages("rowids"), protobuf),
    Row("table.index", "data table.deletion", messages("table"), protobuf, roaring),
    Row("table.refs", "io table", jackson),
    Row(
      "table.transaction",
      "data table table.deletion table.rowid table.index",
      messages("file table transaction"),
      protobuf
    ),
    Row(
      "table.transaction.operations",
      "data schema table table.rowid table.index table.transaction",
      messages("file table transaction"),
      protobuf
    ),
    Row(
      "table.commit",
      "io table table.deletion table.transaction table.transaction.operations",
      messages("table")
    ),
    Row("rest", "", jackson),
    Row("stores.dynamodb", "io", aws, hadoop),
    Row("stores.jdbc", "io", hadoop),
    Row("stores.server", "io io.hadoop rest table", aws, hadoop, jackson),
    Row("stores", "io io.hadoop table.commit stores.dynamodb stores.server", hadoop),
    Row("dataset.snapshot", "data schema io file table table.deletion table.rowid"),
    Row("dataset.predicate", "data schema"),
    Row("dataset.order", "data schema dataset.predicate"),
    Row("dataset.statistics", "data schema dataset.predicate dataset.order"),
    Row(
      "dataset.scan",
      "data schema encoding.logical io file table table.deletion table.rowid dataset.snapshot " +
        "dataset.predicate dataset.order dataset.statistics"
    ),
    Row(
      "dataset.aggregate",
      "data schema encoding.logical io table.deletion dataset.predicate dataset.statistics dataset.scan"
    ),
    Row(
      "dataset.grouping",
      "data schema encoding.logical io dataset.predicate dataset.statistics dataset.scan"
    ),
    Row("dataset.nearest", "data schema io dataset.snapshot dataset.predicate dataset.scan vector"),
    Row(
      "index",
      "data schema io file table table.index dataset.snapshot dataset.predicate",
      protobuf,
      messages("table")
    ),
    Row("index.bloom", "data", xxhash),
    Row("index.rows", "data table.deletion", roaring),
    Row(
      "index.read",
      "data schema io file dataset.predicate dataset.statistics index index.bloom index.rows",
      roaring
    ),
    Row(
      "index.search",
      "data schema io table table.deletion dataset.snapshot dataset.predicate index index.rows index.read",
      roaring
    ),
    Row("index.vector.graph", "data vector", jackson),
    Row(
      "index.vector",
      "data schema io file table table.deletion table.index table.rowid dataset.snapshot index index.search vector " +
        "index.vector.graph",
      messages("index table"),
      jackson
    ),
    Row(
      "index.text",
      "data schema io file table.index text dataset.predicate dataset.snapshot dataset.scan index index.vector vector",
      messages("table"),
      jackson,
      protobuf
    ),
    Row("dataset.blob", "data schema io file table dataset.scan"),
    Row(
      "dataset.write",
      "data schema encoding.compression encoding.logical io file table dataset.statistics " +
        "dataset.blob index.bloom"
    ),
    Row("dataset.cleanup", "io table table.index table.refs table.commit dataset.snapshot", logging),
    Row(
      "dataset",
      "data schema io table table.index table.rowid table.deletion table.refs table.transaction table.commit " +
        "dataset.snapshot dataset.scan dataset.write dataset.cleanup",
      logging
    ),
    Row(
      "dataset.changes",
      "data schema table table.rowid table.transaction table.commit dataset.snapshot dataset",
      messages("table")
    ),
    Row(
      "dataset.schemachange",
      "data schema io table table.deletion table.index table.transaction dataset.snapshot " +
        "dataset.scan dataset.write dataset"
    ),
    Row(
      "dataset.backfill",
      "data schema encoding.logical io table table.deletion table.transaction dataset.snapshot dataset.scan " +
        "dataset.blob dataset.write dataset dataset.schemachange"
    ),
    Row(
      "dataset.compaction",
      "data schema io file table table.rowid table.index table.transaction dataset.snapshot " +
        "dataset.statistics dataset.scan dataset.blob dataset.write dataset",
      logging
    ),
    Row(
      "index.build",
      "data schema encoding.compression encoding.logical io file table table.index table.transaction " +
        "dataset.snapshot dataset.statistics dataset.scan dataset index index.bloom",
      messages("table transaction"),
      protobuf,
      roaring
    ),
    Row(
      "index.vector.build",
      "data schema io file dataset index.build index.vector index.vector.graph vector",
      messages("index"),
      jackson,
      protobuf
    ),
    Row(
      "index.text.build",
      "data schema io file table.index dataset index index.build index.text text",
      messages("table"),
      jackson,
      protobuf
    ),
    Row(
      "dataset.erasure",
      "data schema io file table table.index table.refs table.transaction table.commit dataset.scan dataset.blob " +
        "dataset.write dataset.cleanup dataset"
    ),
    Row("dataset.validation", "data file table table.index dataset.snapshot dataset"),
    Row("namespace", "data schema io rest table table.commit dataset.scan dataset.write dataset", jackson)
  )

  private val sparkModule: Vector[Row] = Vector(
    Row("spark.errors", "", hadoop, spark),
    Row("spark.session", "io stores dataset.scan dataset", hadoop, logging, spark),
    Row("spark.types", "schema dataset.snapshot dataset.write spark.session", jackson, spark),
    Row("spark.history", "table.transaction dataset", spark),
    Row(
      "spark.options",
      "data schema io table table.transaction stores dataset.scan index.search dataset.write dataset " +
        "dataset.backfill dataset.changes spark.session spark.types spark.history vector index.vector text index.text",
      hadoop,
      jackson,
      spark
    ),
    Row(
      "spark.statistics",
      "schema table table.transaction dataset spark.session spark.history spark.options",
      jackson,
      spark
    ),
    Row(
      "spark.read",
      "data schema io stores dataset.snapshot dataset.predicate dataset.order " +
        "dataset.statistics dataset.scan dataset.nearest index index.search index.text dataset.aggregate dataset.grouping dataset.blob dataset spark.errors spark.session " +
        "spark.types spark.options spark.statistics",
      logging,
      spark
    ),
    Row(
      "spark.isolation",
      "schema table table.transaction table.commit dataset.predicate dataset.scan dataset.write dataset spark.session spark.types " +
        "spark.options spark.read",
      spark
    ),
    Row(
      "spark.write",
      "data schema table table.transaction table.commit dataset.predicate dataset.scan " +
        "dataset.blob dataset.write dataset spark.errors spark.session spark.types spark.history spark.options spark.read spark.isolation",
      logging,
      spark
    ),
    Row(
      "spark.schemachange",
      "data schema io table table.transaction dataset.snapshot dataset.write dataset " +
        "dataset.schemachange spark.session spark.types spark.history spark.options spark.write",
      spark
    ),
    Row(
      "spark.rowlevel",
      "data schema table table.deletion table.transaction table.commit dataset.snapshot dataset.scan dataset.write " +
        "dataset dataset.backfill spark.errors spark.session spark.history spark.options spark.read spark.isolation spark.write",
      spark
    ),
    Row(
      "spark.index",
      "data schema io table.transaction dataset.snapshot dataset.scan dataset index index.build index.search " +
        "vector index.vector index.vector.build index.vector.graph text index.text index.text.build table.commit spark.session spark.types spark.history " +
        "spark.options spark.write spark.schemachange",
      jackson,
      logging,
      spark
    ),
    Row(
      "spark.maintenance",
      "table table.transaction dataset.write dataset dataset.compaction spark.session spark.history spark.options spark.write spark.index",
      logging,
      spark
    ),
    Row(
      "spark.streams",
      "schema table dataset dataset.changes spark.errors spark.session spark.options spark.read",
      jackson,
      spark
    ),
    Row(
      "spark.table",
      "schema table dataset.snapshot dataset.write dataset dataset.changes spark.errors spark.session spark.types spark.history spark.options " +
        "spark.read spark.streams spark.isolation spark.write spark.schemachange spark.rowlevel spark.index spark.maintenance",
      spark
    ),
    Row(
      "spark.backfill",
      "schema io table table.transaction table.commit dataset.snapshot dataset.write dataset dataset.backfill " +
        "spark.errors spark.session spark.types spark.history spark.options spark.write spark.schemachange " +
        "spark.table",
      logging,
      spark
    ),
    Row(
      "spark.erasure",
      "data table table.index table.refs table.transaction dataset.snapshot dataset.write dataset dataset.cleanup " +
        "dataset.compaction dataset.erasure spark.session spark.types spark.history spark.options spark.statistics " +
        "spark.index spark.maintenance spark.table",
      spark
    ),
    Row(
      "spark.metadata",
      "schema file table table.index table.refs dataset.scan dataset spark.errors spark.session spark.history " +
        "spark.options",
      spark
    ),
    Row(
      "spark.procedures",
      "schema table table.transaction table.commit dataset.scan dataset.write " +
        "dataset.cleanup dataset dataset.backfill dataset.compaction dataset.validation " +
        "spark.errors spark.session spark.history spark.options spark.statistics spark.schemachange spark.index spark.table " +
        "spark.backfill spark.metadata spark.maintenance spark.erasure",
      hadoop,
      jackson,
      spark
    ),
    Row("spark.functions", "dataset.snapshot index.text spark.errors spark.session", spark),
    Row(
      "spark.search",
      "data schema vector text dataset.predicate dataset.snapshot dataset.scan dataset.nearest dataset index.search index.vector " +
        "index.text " +
        "spark.errors spark.session spark.types spark.options spark.read spark.table spark.procedures spark.functions",
      spark
    ),
    Row(
      "spark.changes",
      "data schema dataset.predicate dataset.snapshot dataset.scan dataset dataset.changes spark.errors spark.session " +
        "spark.types spark.options spark.read spark.streams spark.table spark.procedures",
      spark
    ),
    Row("spark.aliases", "spark.errors spark.session spark.procedures spark.functions", spark),
    Row(
      "spark.catalog",
      "data schema io.hadoop table table.transaction table.commit dataset.write dataset dataset.schemachange namespace rest stores.server " +
        "spark.errors spark.session spark.types spark.history spark.options spark.write spark.schemachange spark.index spark.table " +
        "spark.metadata",
      hadoop,
      spark
    ),
    Row(
      "spark",
      "dataset namespace spark.errors spark.session spark.types spark.history spark.options spark.read spark.write spark.table " +
        "spark.backfill spark.metadata spark.procedures spark.search spark.changes spark.aliases spark.functions " +
        "spark.catalog",
      logging,
      spark
    )
  )

  val rows: Vector[Row] = core ++ sparkModule
}
