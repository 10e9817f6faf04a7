package io.sparklance.dataset.cleanup

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.testkit.MemoryStore

final class OtherFilesSuite extends AnyFunSuite {

  private def among(paths: String*): OtherFiles = {
    val store = new MemoryStore
    paths.foreach(path => store.put(s"/d/$path", Array[Byte](1)))
    OtherFiles.of(store, "/d")
  }

  test("files are named by their endings, the most frequent first, with the statement that converts them") {
    val parquet = (0 until 12).map(i => s"part-$i.snappy.parquet")
    val found =
      among(parquet ++ Seq("y=1/a.PARQUET", "y=1/_SUCCESS", "z/b.csv.gz", "c.csv.gz", "LICENSE"): _*)
    assert(found.toString == "13 .parquet files, 2 .csv.gz files, 1 other file")
    assert(found.conversion.contains("CREATE TABLE … USING lance AS SELECT * FROM parquet.`/d`"))
    assert(among("a.txt").conversion.exists(_.endsWith("FROM text.`/d`")))
    assert(among("a.zip").conversion.isEmpty)
    val many = among("a.a", "b.b", "c.c", "d.d", "e.e")
    assert(many.toString == "1 .a file, 1 .b file, 1 .c file, 1 .d file, others")
  }

  test("tables below the root are named") {
    val found =
      among("t.lance/_versions/1.manifest", "t.lance/data/a.lance", "n/u/_versions/1.manifest", "a.orc")
    assert(found.toString == "the Lance table n/u, the Lance table t.lance, 1 .orc file")
    val delta = among("_delta_log/00000000000000000000.json", "part-0.parquet")
    assert(delta.toString == "the log of a Delta table, 1 .parquet file")
    assert(delta.conversion.exists(_.endsWith("FROM delta.`/d`")))
    assert(among("_spark_metadata/0", "metadata/v1.metadata.json").toString == "1 .json file, 1 other file")
  }

  test("remains of a failed write, hidden files and markers of directories do not count") {
    val left = among(
      "data/0101.lance",
      "data/0101.lance#3",
      "data/0101/1.blob",
      "data/.tmp_0101.lance_x",
      "_transactions/0-x.txn",
      "_versions/.tmp_1.manifest_x",
      "_versions/latest_version_hint.json",
      "_deletions/0-1-2.arrow",
      "_indices/x/index.idx",
      "_sparklance/job/0",
      ".lance-reserved",
      ".DS_Store",
      "_SUCCESS",
      "._SUCCESS.crc",
      "year=2020_$folder$"
    )
    assert(left.isEmpty)
    assert(among("data/part-0.parquet").toString == "1 .parquet file")
    assert(among("data/a.lance", "metadata/x.avro").toString == "1 .avro file")
  }

  test("no more files are looked at than it takes") {
    val found = among((0 until 1100).map(i => s"$i.json"): _*)
    assert(found.toString == "at least 1000 .json files")
  }

  test("a table is committed elsewhere, and cloned, into an empty directory only") {
    val store = new MemoryStore
    store.put("/d/a.csv", Array[Byte](1))
    val refused = intercept[LanceUsageException](Dataset.checkVacant(store, "/d")).getMessage
    assert(
      refused ==
        "A Lance table cannot be created at /d: the directory has no table, but 1 .csv file, which would stay beside it. " +
        "Choose an empty directory, or make a Lance table of them elsewhere: CREATE TABLE … USING lance AS SELECT * FROM csv.`/d`."
    )
  }
}
