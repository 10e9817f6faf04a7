package io.sparklance.stores.server

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.io.hadoop.Schemes

/** Places that a catalog's tables may use, in the forms in which servers and manifests write them. */
final class GrantedSuite extends AnyFunSuite {
  private def conf(settings: (String, String)*): Configuration = {
    val made = new Configuration(false)
    settings.foreach { case (key, value) => made.set(key, value) }
    made
  }

  private def checks(granted: Granted, path: String): Boolean =
    try { granted.check(path); true }
    catch { case e: LanceUsageException if e.getMessage.contains("in none of the directories") => false }

  test("a location without a scheme is in the default file system, a file without one on this machine") {
    val distant = conf("fs.defaultFS" -> "hdfs://nn")
    val granted = new Granted(Vector("/data"), distant)
    Seq("/data/t", "hdfs://nn/data/t", "hdfs:///data/t").foreach(place =>
      assert(granted.allows(place), place)
    )
    Seq("/data-2/t", "data/t", "hdfs://other/data/t", "file:///data/t", "s3://nn/data/t").foreach(place =>
      assert(!granted.allows(place), place)
    )
    assert(checks(granted, "hdfs://nn/data/t/f") && !checks(granted, "/data/t/f"))
    val local = new Granted(Vector("file:///data"), distant)
    assert(checks(local, "/data/t/f") && !checks(local, "hdfs://nn/data/t/f"))
    Seq("/data", "file:/data/", "file:///data").foreach { directory =>
      val granted = new Granted(Vector(directory), conf())
      Seq("/data/t", "file:/data/t", "file:///data/t").foreach(path =>
        assert(granted.allows(path) && checks(granted, path), path)
      )
      Seq("/", "data/t", "/data/../t", "/data/..", "hdfs://nn/data/t", "").foreach(path =>
        assert(!checks(granted, path), path)
      )
    }
  }

  test("a symbolic link does not lead out of a directory, and may be the directory") {
    val root = Files.createTempDirectory("granted")
    val (inside, outside) =
      (Files.createDirectory(root.resolve("in")), Files.createDirectory(root.resolve("out")))
    Files.createDirectory(inside.resolve("real"))
    def link(name: String, to: Path): Path = Files.createSymbolicLink(inside.resolve(name), to)
    Seq(
      link("away", outside),
      link("nowhere", root.resolve("gone")),
      link("around", inside.resolve("around"))
    )
    link("near", inside.resolve("real"))
    val alias = Files.createSymbolicLink(root.resolve("alias"), inside)
    for (directory <- Seq(inside, alias)) {
      val granted = new Granted(Vector(directory.toString), conf())
      for (place <- Seq("t", "real/t/data/f", "near/t", "new/er/t"); from <- Seq(inside, alias))
        assert(checks(granted, s"$from/$place"), place)
      for (place <- Seq("away", "away/t", "nowhere/t", "around/t", "near/../../out/t"))
        assert(!checks(granted, s"$inside/$place"), place)
    }
  }

  test("buckets, whose commits may be ordered by a database") {
    val granted = new Granted(Vector("s3://bucket", "s3+ddb://ordered/lake"), conf())
    Seq(
      "s3://bucket/t",
      "s3a://bucket/t",
      "s3+ddb://bucket/t?ddbTableName=locks",
      "s3a://ordered/lake/t"
    ).foreach(place => assert(granted.allows(place) && checks(granted, place), place))
    Seq("s3://bucket-2/t", "gs://bucket/t", "s3+ddb://ordered/t?ddbTableName=locks", "s3://", "://").foreach(
      place => assert(!granted.allows(place), place)
    )
  }

  test("a container without its account matters only to tables in Azure") {
    val directories = Vector("az://box/lake", "s3://bucket")
    val without = new Granted(directories, conf())
    assert(without.allows("s3://bucket/t") && !without.allows("/t"))
    val e = intercept[LanceUsageException](without.allows("abfss://box@acme.dfs.core.windows.net/lake/t"))
    assert(e.getMessage.contains(Schemes.AccountKey))
    val whole = new Granted(directories, conf(Schemes.AccountKey -> "acme"))
    assert(whole.allows("az://box/lake/t") && whole.allows("abfss://box@acme.dfs.core.windows.net/lake/t"))
    assert(!whole.allows("az://box/other"))
  }
}
