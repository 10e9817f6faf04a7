package io.sparklance.dataset.compaction

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

class CompactionOptionsSuite extends AnyFunSuite {

  test("a table's config sets defaults, and what is given goes before it") {
    val config = Map(
      "lance.compaction.target_rows_per_fragment" -> "5000",
      "lance.compaction.materialize_deletions" -> "False",
      "lance.compaction.materialize_deletions_threshold" -> "0.25",
      "lance.compaction.max_source_fragments" -> "7",
      "lance.compaction.data_storage_version" -> "2.1",
      "lance.compaction.batch_size" -> "many",
      "lance.compaction.of_another_release" -> "?",
      "lance.auto_cleanup.interval" -> "none"
    )
    val options = CompactionOptions.of(config)
    assert(options == CompactionOptions(
      targetRowsPerFragment = 5000,
      materializeDeletions = false,
      materializeDeletionsThreshold = 0.25f,
      maxSourceFragments = Some(7),
      fileVersion = Some(FileVersion.V2_1)
    ))
    val explicit = Map("target_rows_per_fragment" -> "10", "max_source_rows" -> "3")
    assert(CompactionOptions.of(config, explicit) ==
      options.copy(targetRowsPerFragment = 10, maxSourceRows = Some(3)))
  }

  test("a value that makes no sense is an error that names the option, but not if another goes before it") {
    Seq(
      "target_rows_per_fragment" -> "0",
      "max_bytes_per_file" -> "x",
      "max_source_fragments" -> "0",
      "max_source_rows" -> "-1",
      "max_source_bytes" -> "1.5",
      "materialize_deletions" -> "yes",
      "materialize_deletions_threshold" -> "NaN",
      "data_storage_version" -> "0.1"
    ).foreach { case (name, text) =>
      val config = Map(s"lance.compaction.$name" -> text)
      val e = intercept[LanceUsageException](CompactionOptions.of(config))
      assert(e.getMessage.startsWith(s"'$text' is not a value of lance.compaction.$name, which takes "))
    }
    val config = Map("lance.compaction.max_source_rows" -> "x")
    assert(CompactionOptions.of(config, Map("max_source_rows" -> "1")).maxSourceRows.contains(1L))
  }

  test("options of the reference that we lack are refused by name") {
    Seq("defer_index_remap" -> "true", "compaction_mode" -> "force_binary_copy").foreach { option =>
      val e = intercept[UnsupportedLanceFeatureException](CompactionOptions.of(Map.empty, Map(option)))
      assert(e.getMessage.contains(option._1) || e.getMessage.contains(option._2))
    }
    val others = Map("defer_index_remap" -> "false", "compaction_mode" -> "try_binary_copy")
    assert(CompactionOptions.of(Map.empty, others) == CompactionOptions())
  }
}
