package io.sparklance.testkit

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.WrittenFile

/** Files for small tables of one column, in name only. */
object FileFixtures {
  def written(name: String, rows: Long = 10, version: FileVersion = FileVersion.V2_2): WrittenFile =
    WrittenFile(name, Vector(0), Vector(0), version, 1000, rows)
}
