package io.sparklance.table

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.proto.{table => pb}

class TablePathsSuite extends AnyFunSuite {

  private val paths = new TablePaths(
    "/t",
    Manifest(
      pb.Manifest(basePaths =
        Seq(
          pb.BasePath(id = 0, isDatasetRoot = true, path = "s3://bucket/source/"),
          pb.BasePath(id = 3, isDatasetRoot = false, path = "/files")
        )
      )
    )
  )

  private def data(path: String, base: Option[Int] = None) =
    paths.dataFile(DataFile(pb.DataFile(path, baseId = base)))

  private def deletion(base: Option[Int]) =
    paths.deletionFile(
      Fragment(pb.DataFragment(id = 2)),
      DeletionFile(pb.DeletionFile(readVersion = 1, id = 9, baseId = base))
    )

  test("data files: below the root, a base that is a root (0 is a real id), a base that is not") {
    assert(data("a.lance") == "/t/data/a.lance")
    assert(data("sub/a.lance") == "/t/data/sub/a.lance")
    assert(data("a.lance", Some(0)) == "s3://bucket/source/data/a.lance")
    assert(data("a.lance", Some(3)) == "/files/a.lance")
  }

  test("deletion files: below the root or a base that is a root") {
    assert(deletion(None) == "/t/_deletions/2-1-9.arrow")
    assert(deletion(Some(0)) == "s3://bucket/source/_deletions/2-1-9.arrow")
    assert(
      intercept[LanceFormatException](
        deletion(Some(3))
      ).getMessage.contains("which is not the root of a table")
    )
  }

  test("a base that is not listed is bad data") {
    assert(intercept[LanceFormatException](data(
      "a.lance",
      Some(1)
    )).getMessage.contains("base 1, which the manifest lacks"))
  }

  test("paths that leave the table are refused") {
    Seq("", "/etc/passwd", "../a", "a/../../b", "./a", "file:///etc/passwd", "s3://other/a", "a\\b").foreach {
      path =>
        assert(
          intercept[LanceFormatException](data(path)).getMessage.contains("leads out of the table"),
          path
        )
    }
    assert(data("a..b.lance") == "/t/data/a..b.lance")
  }
}
