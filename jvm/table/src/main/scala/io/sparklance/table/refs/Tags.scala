package io.sparklance.table.refs

import java.time.Instant

import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.ManifestFile
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** The tags of a table.
  *
  * @param main
  *   root of the table's main branch
  */
final private[sparklance] class Tags(store: ObjectStore, main: String) {
  private val files = new RefFiles(store, StorePath.join(main, "_refs", "tags"), TagCodec)

  def all: Vector[(String, Tag)] = files.all

  def find(name: String): Option[Tag] = {
    RefNames.checkTag(name)
    files.get(name)
  }

  def get(name: String): Tag = find(name).getOrElse(throw missing(name))

  /** @param metadata further metadata of the tag */
  def create(
      name: String,
      branch: Option[String],
      version: ManifestFile,
      metadata: Map[String, String] = Map.empty
  ): Tag = {
    RefNames.checkTag(name)
    val now = Instant.now()
    val tag = Tag(branch, version.version, Some(now), Some(now), version.sizeIn(store), metadata)
    if (!files.create(name, tag))
      throw new LanceUsageException(
        s"The table at $main has a tag '$name' already. Update it, delete it first, or choose another name."
      )
    tag
  }

  /** Moves an existing tag to another version.
    *
    * @param metadata
    *   metadata to set; the other stays
    */
  def update(
      name: String,
      branch: Option[String],
      version: ManifestFile,
      metadata: Map[String, String] = Map.empty
  ): Tag = {
    val before = get(name)
    val moved = before.copy(
      metadata = before.metadata ++ metadata,
      branch = branch,
      version = version.version,
      updatedAt = Some(Instant.now()),
      manifestSize = version.sizeIn(store)
    )
    files.replace(name, moved)
    moved
  }

  /** Replaces a tag by one that it was before. */
  def put(name: String, tag: Tag): Unit = files.replace(name, tag)

  def delete(name: String): Tag = {
    val tag = get(name)
    files.delete(name)
    tag
  }

  private def missing(name: String) = new LanceTableNotFoundException(
    s"The table at $main has no tag '$name'; it has ${RefNames.listed(all.map(_._1))}."
  )
}
