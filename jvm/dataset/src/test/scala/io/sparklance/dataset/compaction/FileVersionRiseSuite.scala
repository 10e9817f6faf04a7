package io.sparklance.dataset.compaction

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.FeatureFlags
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.{FileFixtures, MemoryStore}
import io.sparklance.{LanceUsageException, RetryableCommitConflictException}

class FileVersionRiseSuite extends AnyFunSuite {
  private val number = Field(0, "id", LogicalType.Integer(32, signed = true), nullable = true)
  private val schema = LanceSchema(Vector(number))

  private def table(version: FileVersion, columns: LanceSchema = schema): Dataset = Dataset.create(
    new MemoryStore,
    "/t",
    TableDefinition(columns, version),
    Vector(FileFixtures.written("a.lance", version = version))
  )

  private def raised(dataset: Dataset, version: FileVersion): Dataset =
    FileVersionRise.of(dataset, version) match {
      case FileVersionRise.Noted(operation) => dataset.commit(operation).dataset
      case other => fail(s"$other")
    }

  private def isMixed(dataset: Dataset): Boolean =
    FeatureFlags.isSet(dataset.manifest.message.readerFeatureFlags, FeatureFlags.MixedFileVersions)

  test("a higher version is noted for new files; the others stay, and a flag says so") {
    val before = table(FileVersion.V2_0)
    val after = raised(before, FileVersion.V2_2)
    assert(after.fileVersion == FileVersion.V2_2 && after.fragments == before.fragments)
    assert(isMixed(after) && !isMixed(before))
    assert(FileVersionRise.of(after, FileVersion.V2_2) == FileVersionRise.Done)
    val grown = after.append(Vector(FileFixtures.written("b.lance", version = FileVersion.V2_2)))
    assert(grown.fragments.flatMap(_.files).flatMap(_.version) == Vector(FileVersion.V2_0, FileVersion.V2_2))
  }

  test("appends in the old version are no conflict, and a lower version does not come back") {
    val before = table(FileVersion.V2_0)
    val higher = raised(before, FileVersion.V2_2)
    val late = before.append(Vector(FileFixtures.written("late.lance", version = FileVersion.V2_0)))
    assert(late.fileVersion == FileVersion.V2_2 && late.fragments.size == 2)
    assert(raised(before, FileVersion.V2_1).fileVersion == FileVersion.V2_2)
    val e = intercept[LanceUsageException](FileVersionRise.of(higher, FileVersion.V2_1))
    assert(e.getMessage.contains("can be raised but not lowered to 2.1"))
  }

  test("blobs of version 1 are refused in 2.2, by name") {
    val blob = Field(
      1,
      "picture",
      LogicalType.Binary(large = true),
      true,
      metadata =
        Map("lance-encoding:blob" -> "true")
    )
    val before = table(FileVersion.V2_0, LanceSchema(Vector(number, blob)))
    val e = intercept[LanceUsageException](FileVersionRise.of(before, FileVersion.V2_2))
    assert(e.getMessage.contains("Column 'picture'"))
    assert(raised(before, FileVersion.V2_1).fileVersion == FileVersion.V2_1)
  }

  test("files of version 0.1 are rewritten all together, or not at all") {
    val before = table(FileVersion.V0_1)
    val plan = FileVersionRise.of(before, FileVersion.V2_1) match {
      case FileVersionRise.Rewritten(plan, _) => plan
      case other => fail(s"$other")
    }
    assert(plan.version == FileVersion.V2_1 && plan.groups.map(_.fragments.size) == Vector(1))
    val noted = intercept[LanceUsageException](
      before.commit(Operation.UpdateConfig.raising(FileVersion.V2_1))
    )
    assert(noted.getMessage.contains("cannot be beside others"))
    val file = RewrittenFile(FileFixtures.written("new.lance", version = FileVersion.V2_1), None)
    val done = plan.groups.map(_.into(Vector(file)))
    val grown = before.append(Vector(FileFixtures.written("b.lance", version = FileVersion.V0_1)))
    intercept[RetryableCommitConflictException](Compaction.commitAll(before, done, _ => Map.empty))
    assert(Dataset.open(before.store, "/t").version == grown.version)
    val alone = table(FileVersion.V0_1)
    val after = Compaction.commitAll(alone, done, _ => Map.empty).dataset
    assert(after.fileVersion == FileVersion.V2_1 && !isMixed(after))
    assert(after.fragments.map(_.id) == Vector(1))
    val e = intercept[LanceUsageException](
      Compaction.plan(grown, CompactionOptions(fileVersion = Some(FileVersion.V2_1)))
    )
    assert(e.getMessage.contains("raise_file_version"))
  }
}
