package io.sparklance.table.commit

import io.sparklance.io.ObjectStore
import io.sparklance.table.{Manifest, Versions}
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._

/** Commits to a table of one fragment in a memory store. */
trait CommitLoops {
  protected def loop(store: ObjectStore) = new CommitLoop(store, "/t", _ => ())

  /** A table with one fragment at version 1. */
  protected def created(): MemoryStore = {
    val store = new MemoryStore
    loop(store).commit(0, overwrite("first"))
    store
  }

  protected def latest(store: ObjectStore): Manifest = {
    val versions = new Versions(store, "/t")
    versions.read(versions.latest().get)
  }

  protected def files(manifest: Manifest): Vector[String] = manifest.fragments.flatMap(_.files).map(_.path)

  protected def transactionFiles(store: MemoryStore): Vector[String] =
    store.paths.filter(_.startsWith("/t/_transactions/"))
}
