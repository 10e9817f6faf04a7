package io.sparklance.spark.statistics

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import io.sparklance.dataset.Dataset

/** Identifies the data files of a version, to notice that statistics are of others. */
private[spark] object AnalyzedFiles {
  final private val DigestBytes = 10

  def digest(dataset: Dataset): String = {
    val sha = MessageDigest.getInstance("SHA-256")
    dataset.fragments.foreach { fragment =>
      sha.update(s"${fragment.id}:".getBytes(UTF_8))
      fragment.files.foreach(file => sha.update(s"${file.path};".getBytes(UTF_8)))
    }
    HexFormat.of.formatHex(sha.digest, 0, DigestBytes)
  }
}
