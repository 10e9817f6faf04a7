package io.sparklance.table.commit

import scala.collection.mutable

import io.sparklance.io.{ManifestRecord, ManifestRecords}
import io.sparklance.table.ManifestNaming
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures.append

/** Another software's commits of versions 2 and 3 by a database, step by step as the reference takes them,
  * and what it cleans up then. If another was faster it goes no further.
  *
  * @param after
  *   the manifests of the two versions
  */
final class ForeignCommits(store: MemoryStore, records: ManifestRecords, after: Vector[Array[Byte]]) {
  import ForeignCommits._

  private val standing = mutable.Set.empty[Long]
  private var hasLost = false
  private var done = 0

  /** Continues until `steps` steps are done. */
  def until(steps: Int): Unit = while (done < steps) {
    if (!hasLost) all(done)()
    done += 1
  }

  /** Whether it made that version. */
  def made(version: Long): Boolean = standing(version)

  private val all: Vector[() => Unit] = commit(2) ++ commit(3) :+ (() => store.delete(path(2)))

  private def commit(version: Long): Vector[() => Unit] = {
    val (manifest, staged) = (after(version.toInt - 2), s"${path(version)}-5f6a")
    val size = Some(manifest.length.toLong)
    def record(path: String) = ManifestRecord(version, path.stripPrefix("s3a://bucket/"), size)
    Vector(
      () => store.put(staged, manifest),
      () => {
        hasLost = !records.add("t", record(staged))
        if (hasLost) store.delete(staged) else standing += version
      },
      () =>
        if (store.exists(staged)) store.put(path(version), store.bytes(staged))
        else assert(store.exists(path(version))),
      () => records.replace("t", record(path(version))),
      () => store.delete(staged)
    )
  }
}

object ForeignCommits {

  /** With and without what is cleaned up behind the commits. */
  val Steps = 11
  val CommitSteps = 10

  private def path(version: Long): String =
    s"s3a://bucket/t/_versions/${ManifestNaming.V2.fileName(version)}"

  /** The result of two appends to a table with one version. */
  def appends(version1: Array[Byte]): Vector[Array[Byte]] = {
    val store = new MemoryStore
    store.put(path(1), version1)
    val loop = new CommitLoop(store, "s3a://bucket/t", _ => ())
    loop.commit(1, append("theirs 2"))
    loop.commit(2, append("theirs 3"))
    Vector(store.bytes(path(2)), store.bytes(path(3)))
  }
}
