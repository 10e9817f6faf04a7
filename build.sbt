val sparkVersion = sys.props.getOrElse("spark.version", "4.0.1")

ThisBuild / organization := "io.sparklance"
ThisBuild / version := IO.read(file("version.txt")).trim
ThisBuild / scalaVersion := "2.13.16"
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / licenses := Seq(License.Apache2)
ThisBuild / description := "A native Apache Spark connector for the Lance columnar format"
ThisBuild / homepage := Some(url("https://sparklance.io"))
ThisBuild / developers := List(
  Developer("sparklance", "The sparklance contributors", "", url("https://sparklance.io"))
)
ThisBuild / scmInfo := Some(
  ScmInfo(url("https://sparklance.io"), "scm:git:https://sparklance.io/sparklance.git")
)
ThisBuild / scalacOptions ++= Seq(
  "-release",
  "17",
  "-deprecation",
  "-feature",
  "-unchecked",
  "-Xlint:_,-byname-implicit",
  "-Wdead-code",
  "-Wunused:_",
  "-Wvalue-discard",
  "-Werror",
  // Generated code is not ours to tidy.
  "-Wconf:src=src_managed/.*:silent"
)

/** What Spark needs to reach inside the JDK since Java 17 (as Spark's own launcher passes it). */
val openedPackages = Seq(
  "java.base/java.lang",
  "java.base/java.lang.invoke",
  "java.base/java.lang.reflect",
  "java.base/java.io",
  "java.base/java.net",
  "java.base/java.nio",
  "java.base/java.util",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/sun.nio.ch",
  "java.base/sun.nio.cs",
  "java.base/sun.security.action",
  "java.base/sun.util.calendar"
)

/** Tests can run on the jars of another Spark, a directory of them, and on another Java:
  * `./dev test --spark --java`.
  */
val testSparkJars = sys.props.get("test.spark.jars").map(file)
val testJavaHome = sys.props.get("test.java.home").map(file)

/** A class path whose jars are those of that Spark, as far as it has them in some version. */
def onSpark(classPath: Def.Classpath, jars: File): Def.Classpath = {
  def library(jar: File): String = jar.getName.replaceFirst("-\\d.*", "")
  val ofSpark = jars.listFiles.filter(_.getName.endsWith(".jar")).toSeq.sortBy(_.getName)
  val replaced = ofSpark.map(library).toSet
  val (classes, libraries) = classPath.partition(_.data.isDirectory)
  val kept =
    libraries.filterNot(j => replaced(library(j.data)) || j.data.getName.startsWith("spark-"))
  classes ++ Attributed.blankSeq(ofSpark) ++ kept
}

/** The ring of tests that runs, the tags of tests that it leaves out, and the part of the suites:
  * `dev_tools/rings.py`.
  */
val ring = sys.env.getOrElse("SPARKLANCE_TEST_RING", "everyday")
val leftOut =
  (if (ring == "full") Nil else Seq("cross", "long", "store")) ++
    (if (ring == "fast") Seq("process", "org.scalatest.tags.Slow") else Nil)
val part = sys.env.get("SPARKLANCE_TEST_PART").map(_.split('/').map(_.toInt))

def isInPart(suite: String): Boolean = part.forall { case Array(number, count) =>
  suite.getBytes("UTF-8").map(_ & 0xff).sum % count == number - 1
}

/** Short tests take 0.6 of the CPU time without C2 and with one collector thread, so suites run that way,
  * except in `./dev test --full`. Without C2, Java keeps 48 MB for compiled code, which Spark fills: then a
  * thread sweeps all the time, and methods are compiled again.
  */
val shortJvm =
  if (ring == "full") Nil
  else
    Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC") ++
      Seq("-XX:ReservedCodeCacheSize=240m", "-XX:MetaspaceSize=256m")

/** Makes an empty file, which tells another process that the commands before it have ended well. */
commands += Command.single("touch") { (state, name) =>
  IO.touch(file(name))
  state
}

/** The suites of two modules may run beside each other, each in a JVM of its own. */
Global / concurrentRestrictions :=
  Seq(Tags.limitAll(EvaluateTask.SystemProcessors), Tags.limit(Tags.ForkedTestGroup, 2))

val common = Seq(
  Test / fork := true,
  Test / javaHome := testJavaHome.orElse((Test / javaHome).value),
  Test / fullClasspath ~= (path => testSparkJars.fold(path)(onSpark(path, _))),
  Test / baseDirectory := (ThisBuild / baseDirectory).value,
  Test / javaOptions ++=
    ("-Xmx2g" +: shortJvm) ++ openedPackages.flatMap(p => Seq("--add-opens", s"$p=ALL-UNNAMED")),
  Test / testOptions ++= Seq(
    Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
    Tests.Argument(TestFrameworks.ScalaTest, leftOut.flatMap(Seq("-l", _)): _*),
    Tests.Filter(isInPart)
  ),
  libraryDependencies ++= Seq(
    "org.scalatest" %% "scalatest" % "3.2.19" % Test,
    "org.scalacheck" %% "scalacheck" % "1.18.1" % Test,
    "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0" % Test
  )
)

// Shipped by every Spark from 4.0 to 4.3; the versions are those of 4.0.1.
val ofFormat = Seq(
  "org.apache.hadoop" % "hadoop-client-api" % "3.4.1" % Provided,
  "org.apache.hadoop" % "hadoop-client-runtime" % "3.4.1" % Test,
  "com.github.luben" % "zstd-jni" % "1.5.6-9" % Provided,
  "org.lz4" % "lz4-java" % "1.8.0" % Provided
)
val ofTable = ofFormat ++ Seq(
  "com.fasterxml.jackson.core" % "jackson-databind" % "2.18.2" % Provided,
  "org.roaringbitmap" % "RoaringBitmap" % "1.3.0" % Provided,
  // Comes with hadoop-aws, within its bundle, where tables are ordered by DynamoDB; the version is that
  // of Hadoop 3.4.1.
  "software.amazon.awssdk" % "dynamodb" % "2.24.6" % Provided,
  "software.amazon.awssdk" % "apache-client" % "2.24.6" % Provided,
  // An embedded database, for the commits that JDBC orders; the version is Spark's.
  "org.apache.derby" % "derby" % "10.16.1.1" % Test
)
val ofDataset = ofTable :+ "org.slf4j" % "slf4j-api" % "2.0.16" % Provided

/** A part of the jar. No Spark is on its class path, so that no byte is ever parsed by way of Spark.
  *
  * @param libraries
  *   its own and those of the modules below, which Spark provides and a module does not pass on
  */
def module(name: String, libraries: Seq[ModuleID]): Project =
  Project(name, file(s"jvm/$name")).settings(
    common,
    Keys.name := s"sparklance-$name",
    publish / skip := true,
    libraryDependencies ++= libraries
  )

/** For a module whose tests use the fixtures of another. */
val both = "compile->compile;test->test"

/** Data files: values, schemas, encodings, files, reads from stores, distances of vectors. */
lazy val format = module("format", ofFormat)
  .settings(
    Compile / PB.protoSources := Seq((ThisBuild / baseDirectory).value / "protos"),
    Compile / PB.targets := Seq(
      scalapb.gen(flatPackage = true, javaConversions = false, grpc = false, lenses = false) ->
        (Compile / sourceManaged).value / "scalapb",
      // The same messages for Python, which reads them without generated code.
      PB.gens.descriptorSet -> target.value / "protos" / "lance.pb"
    ),
    Compile / PB.protocOptions += "--include_imports",
    // Manifests tell which software wrote them.
    Compile / sourceGenerators += Def.task {
      val source = (Compile / sourceManaged).value / "SoftwareVersion.scala"
      IO.write(
        source,
        s"""package io.sparklance
           |object SoftwareVersion { val current: String = "${version.value}" }
           |""".stripMargin
      )
      Seq(source)
    },
    libraryDependencies ++= Seq(
      "com.thesamet.scalapb" %% "scalapb-runtime" % scalapb.compiler.Version.scalapbVersion,
      // The same for the .proto files of protobuf itself, which ours import.
      "com.thesamet.scalapb" %% "scalapb-runtime" % scalapb.compiler.Version.scalapbVersion % "protobuf"
    )
  )

/** Versions of a table: manifests, transactions and their conflicts, stores and their order of commits. */
lazy val table = module("table", ofTable).dependsOn(format % both)

/** A table's rows: scans, writes, and jobs such as compaction and backfill. */
lazy val dataset = module("dataset", ofDataset).dependsOn(table % both)

/** Scalar, vector and full-text indices, and the analysis of texts. */
lazy val search = module("search", ofDataset).dependsOn(dataset % both)

/** Namespaces of tables, in directories and behind servers. */
lazy val catalog = module("catalog", ofDataset).dependsOn(dataset % both)

/** All modules without Spark. `core/test` runs their suites in one JVM, cheaper than one for each. */
lazy val core = module("core", ofDataset)
  .dependsOn(search % both, catalog % both)
  .aggregate(format, table, dataset, search, catalog)
  .settings(
    Test / test / aggregate := false,
    Test / testOnly / aggregate := false,
    Test / definedTests :=
      definedTests
        .all(ScopeFilter(inProjects(format, table, dataset, search, catalog), inConfigurations(Test)))
        .value
        .flatten
  )

/** Makes the jar smaller when it is built. */
val Shrinker = config("shrinker").hide

/** A Spark that has interfaces which the oldest one lacks. Nothing loads our classes that implement these on
  * an older Spark; tests/spark/test_linking.py checks it.
  */
val LaterSpark = config("later-spark").hide
val laterInterfaces =
  Seq("Changelog", "SupportsSchemaEvolution").map("org/apache/spark/sql/connector/catalog/" + _)

/** The DataSource V2 connector, and the one jar. */
lazy val spark = (project in file("jvm/spark"))
  .dependsOn(search, catalog)
  .configs(Shrinker)
  .settings(common)
  .settings(
    name := "sparklance-spark",
    publish / skip := true,
    ivyConfigurations ++= Seq(Shrinker, LaterSpark),
    libraryDependencies += ("org.apache.spark" %% "spark-catalyst" % "4.2.0" % LaterSpark).intransitive(),
    Compile / unmanagedClasspath += Def.task {
      val classes = target.value / "later-spark"
      Classpaths.managedJars(LaterSpark, Set("jar"), update.value).files.foreach { jar =>
        IO.unzip(jar, classes, new sbt.io.SimpleFilter(name => laterInterfaces.exists(name.startsWith)))
      }
      Attributed.blank(classes)
    }.value,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % sparkVersion % Provided,
      "com.guardsquare" % "proguard-base" % "7.7.0" % Shrinker
    ),
    assembly / assemblyJarName := s"sparklance_2.13-${version.value}.jar",
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    // Any protobuf may sit on Spark's class path; ours must not meet it.
    assembly / assemblyShadeRules := Seq("com.google.protobuf", "scalapb", "scala.collection.compat").map(p =>
      ShadeRule.rename(s"$p.**" -> s"io.sparklance.shaded.$p.@1").inAll
    ),
    assembly / assemblyMergeStrategy := {
      case PathList("META-INF", "services", _*) => MergeStrategy.concat
      case PathList("META-INF", "licenses", _*) => MergeStrategy.deduplicate
      case PathList("META-INF", _*) => MergeStrategy.discard
      case PathList("io", "sparklance", _*) => MergeStrategy.deduplicate
      case _ => MergeStrategy.discard
    },
    assembly / assemblyOutputPath := target.value / "whole" / (assembly / assemblyJarName).value,
    assembly := {
      val whole = assembly.value
      val small = crossTarget.value / whole.getName
      val shrinker = Classpaths.managedJars(Shrinker, Set("jar"), update.value).files
      val libraries = (Compile / dependencyClasspath).value.files.filter(
        _.getName.startsWith("scala-library")
      )
      SmallJar.make(whole, small, shrinker, libraries, streams.value.log)
      small
    },
    assembly / test := {},
    // Of us, and of what is within the jar.
    Compile / resourceGenerators += Def.task {
      val root = (ThisBuild / baseDirectory).value
      val to = (Compile / resourceManaged).value / "META-INF" / "licenses"
      val texts = (root / "LICENSE") +: (root / "licenses").listFiles.toSeq
      texts.map { text =>
        IO.copyFile(text, to / text.getName)
        to / text.getName
      }
    }
  )

/** Spark's own suites on our catalogs: docs/sql.md. Sessions of theirs would meet those of our suites in one
  * JVM. They are of the Spark that we compile against, so that there are none on the jars of another.
  */
lazy val suites = (project in file("jvm/suites"))
  .dependsOn(spark)
  .settings(common)
  .settings(
    name := "sparklance-suites",
    publish / skip := true,
    Test / unmanagedSources := (if (testSparkJars.isEmpty) (Test / unmanagedSources).value else Nil),
    libraryDependencies ++= Seq("sql", "catalyst", "core").flatMap { module =>
      val jar = "org.apache.spark" %% s"spark-$module" % sparkVersion % Test
      Seq(jar, jar.classifier("tests"))
    }
  )

val ofJar =
  ScopeFilter(inProjects(format, table, dataset, search, catalog, spark), inConfigurations(Compile))

/** What is published: the one jar, which asks for nothing but Spark, with the sources and documentation of
  * all modules.
  */
lazy val published = (project in file("jvm/published"))
  .settings(
    name := "sparklance",
    autoScalaLibrary := false,
    Compile / packageBin := (spark / assembly).value,
    // Without interfaces of others, which only our compiler needs.
    Compile / packageSrc / mappings :=
      (packageSrc / mappings).all(ofJar).value.flatten.filterNot(_._2.startsWith("org/apache/")),
    Compile / doc / sources := sources.all(ofJar).value.flatten.filterNot(_.getName.endsWith(".java")),
    Compile / doc / dependencyClasspath := dependencyClasspath.all(ofJar).value.flatten,
    Compile / doc / scalacOptions := Seq("-doc-title", "sparklance", "-no-link-warnings", "-nowarn"),
    publishTo := Some(
      MavenCache("dist", (ThisBuild / baseDirectory).value / "dist" / "maven")
    )
  )

lazy val benchmarks = (project in file("jvm/benchmarks"))
  .enablePlugins(JmhPlugin)
  .dependsOn(spark)
  .settings(common)
  .settings(
    name := "sparklance-benchmarks",
    publish / skip := true,
    // Spark brings them elsewhere.
    libraryDependencies ++= Seq("com.github.luben" % "zstd-jni" % "1.5.6-9", "org.lz4" % "lz4-java" % "1.8.0")
  )

lazy val root = (project in file("."))
  .aggregate(core, spark, suites, benchmarks)
  .settings(name := "sparklance-root", publish / skip := true)
