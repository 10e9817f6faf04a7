package io.sparklance.table

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ManifestNamingSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import ManifestName._
  import ManifestNaming.{V1, V2}

  test("version 1 in each scheme") {
    assert(V1.fileName(1) == "1.manifest")
    assert(V2.fileName(1) == "18446744073709551614.manifest")
    assert(ManifestNaming.detachedFileName(Long.MinValue | 5) == "d9223372036854775813.manifest")
  }

  test("every version is parsed from its name, in both schemes") {
    forAll(Gen.chooseNum(0L, Long.MaxValue)) { version =>
      assert(ManifestNaming.parse(V2.fileName(version)).contains(Attached(version, V2)))
      assert(ManifestNaming.parse(V1.fileName(version)).contains(Attached(version, V1)))
      val detached = version | Long.MinValue
      assert(ManifestNaming.parse(ManifestNaming.detachedFileName(detached)).contains(Detached(detached)))
    }
  }

  test("a later version sorts before an earlier one in the second scheme") {
    forAll(Gen.chooseNum(0L, Long.MaxValue - 1)) { version =>
      assert(V2.fileName(version + 1) < V2.fileName(version))
    }
  }

  test("other files in the directory are no manifests") {
    val others = Seq(
      "latest_version_hint.json",
      ".tmp_7.manifest_5b1b0f9e",
      "18446744073709551614.manifest-5b1b0f9e",
      "manifest",
      ".manifest",
      "-1.manifest",
      "d5.manifest",
      "99999999999999999999.manifest",
      "00000000000000000001.manifest",
      "9999999999999999999.manifest",
      "123456789012345678901.manifest",
      "x1.manifest"
    )
    others.foreach(name => assert(ManifestNaming.parse(name).isEmpty, name))
  }
}
