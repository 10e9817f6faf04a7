package io.sparklance.dataset

import java.time.Duration

import scala.util.control.NonFatal

import io.sparklance.io.ObjectStore
import io.sparklance.table.commit.CloneCommit
import io.sparklance.table.refs.{Branches, RefNames, Refs, Tag, Tags, VersionRefs}
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{Manifest, ManifestFile, VersionIdentity, Versions}
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** The tags and branches of a table, and what is made of one of its versions.
  *
  * @param dataset
  *   that version, of any of its branches
  */
final class TableRefs(dataset: Dataset) {
  private val store = dataset.store
  private val versions = new Versions(store, dataset.root)
  private val identity = VersionIdentity.of(dataset.manifest)

  private val refs = new Refs(store, dataset.root, dataset.manifest.branch)

  /** The branch of the version; none for the main branch. */
  val branch: Option[String] = refs.branch

  /** The root of the main branch. */
  val main: String = refs.main

  val tags: Tags = refs.tags
  val branches: Branches = refs.branches

  /** Returns the tags and branches of some versions of this branch. */
  private[sparklance] def ofVersions(isWanted: Long => Boolean): VersionRefs =
    VersionRefs.of(refs).of(isWanted)

  /** @param retain time after which clean-up drops the tag; none if it stays */
  def createTag(name: String, retain: Option[Duration] = None): Tag = {
    val tag = tags.create(name, branch, file, Tag.expiring(retain))
    orUndo(tags.delete(name))
    tag
  }

  /** @param retain as in [[createTag]]; if none, what was said before still counts */
  def updateTag(name: String, retain: Option[Duration] = None): Tag = {
    val before = tags.get(name)
    val tag = tags.update(name, branch, file, Tag.expiring(retain))
    orUndo(tags.put(name, before))
    tag
  }

  /** A branch that begins with this version.
    *
    * @param properties
    *   of its first transaction
    */
  def createBranch(name: String, properties: Map[String, String] = Map.empty): Dataset = {
    branches.checkFree(name)
    val commit = new CloneCommit(store, branches.root(Some(name)))
    val made = cloned(commit, shallow(Some(name)), properties)
    try branches.create(name, branch, file)
    catch {
      case NonFatal(e) =>
        commit.takeBack(made)
        throw e
    }
    orUndo(branches.delete(name))
    opened(name)
  }

  /** Opens a new branch, unless its beginnings were taken for the remains of an interrupted creation. */
  private def opened(name: String): Dataset =
    try Dataset.open(store, branches.root(Some(name)))
    catch {
      case e: LanceTableNotFoundException =>
        branches.delete(name)
        throw new LanceTableNotFoundException(
          s"Branch '$name' of the table at $main was deleted while it was created. Create it again.",
          e
        )
    }

  /** A table at another place that begins with this version and goes on using its files.
    *
    * @param properties
    *   of its first transaction
    */
  def shallowClone(
      root: String,
      target: ObjectStore = store,
      properties: Map[String, String] = Map.empty
  ): Dataset = cloned(target, root, shallow(None), properties)

  private def cloned(
      target: ObjectStore,
      root: String,
      clone: Operation.Clone,
      properties: Map[String, String]
  ): Dataset = {
    Dataset.checkVacant(target, root)
    val commit = new CloneCommit(target, root)
    val made = cloned(commit, clone, properties)
    // The check comes last, because a clean-up of the table does not see the clone.
    val opened = Dataset.open(target, root)
    orUndo(commit.takeBack(made))
    opened
  }

  private def cloned(
      commit: CloneCommit,
      clone: Operation.Clone,
      properties: Map[String, String]
  ): Manifest = {
    val source = versions.readWhole(file)
    if (VersionIdentity.of(source.manifest) != identity) throw replaced
    commit.commit(source, clone, properties)
  }

  private def shallow(name: Option[String]): Operation.Clone =
    Operation.Clone.shallow(branch, dataset.version, TableRefs.shown(dataset.root), name)

  /** Fails if the version, one of its files or its branch was removed while a reference to it was made. Our
    * clean-up reads a reference that still sees the version before it removes the version. That of other
    * software removes files first, and may do so later, too.
    */
  private def orUndo(undo: => Any): Unit =
    try {
      val _ = file
      branch.foreach(branches.get)
      MissingFiles.first(dataset).foreach(path => throw lacking(path))
    } catch {
      case e: LanceTableNotFoundException =>
        val _ = undo
        throw e
    }

  /** The version must still be that of this table, not of another one that was created at its place. */
  private def file: ManifestFile = {
    val found = versions.find(dataset.version).getOrElse(throw removed)
    if (versions.identity(found) != identity) throw replaced
    found
  }

  private def removed = new LanceTableNotFoundException(
    s"Version ${dataset.version} of the table at ${dataset.root} was removed meanwhile. Choose another version."
  )

  private def lacking(path: String) = new LanceTableNotFoundException(
    s"Version ${dataset.version} of the table at ${dataset.root} lacks the file $path, which a clean-up may have removed. Choose another version."
  )

  private def replaced = new LanceTableNotFoundException(
    s"The table at ${dataset.root} was dropped, and another one created there, since its version ${dataset.version} was read. Read the " +
      "table and choose a version again."
  )
}

object TableRefs {

  /** Opens the version that is meant of the table at `root`, which may be a branch itself. */
  def open(store: ObjectStore, root: String, reference: Reference): Dataset = {
    import Reference.{AsOf, Latest, Named, Version}
    reference match {
      case Reference(None, Latest) => Dataset.open(store, root)
      case Reference(None, Version(number)) => Dataset.open(store, root, Some(number))
      case Reference(Some(name), Latest) => Dataset.open(store, rootOf(store, root, name))
      case Reference(Some(name), Version(number)) =>
        Dataset.open(store, rootOf(store, root, name), Some(number))
      case Reference(name, AsOf(time)) =>
        Dataset.open(store, name.fold(root)(rootOf(store, root, _))).asOf(time)
      case Reference(None, Reference.Tag(name)) => tagged(store, root, refs => refs.tags.get(name))
      case Reference(None, Named(name)) => named(store, root, name)
      case Reference(Some(_), Reference.Tag(name)) => throw tagOfBranch(name)
      case Reference(Some(_), Named(name)) => throw tagOfBranch(name)
    }
  }

  /** Makes the table that a clone's transaction is about. */
  def commitClone(
      store: ObjectStore,
      root: String,
      clone: Operation.Clone,
      properties: Map[String, String]
  ): Dataset = {
    val source = Dataset.open(store, clone.message.refPath, Some(clone.message.refVersion))
    new TableRefs(source).cloned(store, root, clone, properties)
  }

  private def named(store: ObjectStore, root: String, name: String): Dataset = {
    val refs = new TableRefs(Dataset.open(store, root))
    val found = if (name.contains('/')) None else refs.tags.find(name)
    found match {
      case Some(tag) => tagged(store, root, _ => tag)
      case None if refs.branches.find(name).isDefined => Dataset.open(store, refs.branches.root(Some(name)))
      case None =>
        throw new LanceTableNotFoundException(
          s"The table at ${refs.main} has no tag and no branch '$name'. Its tags are " +
            s"${RefNames.listed(refs.tags.all.map(_._1))}; its branches ${RefNames.listed(refs.branches.all.map(_._1))}."
        )
    }
  }

  private def tagged(store: ObjectStore, root: String, tag: TableRefs => Tag): Dataset = {
    val refs = new TableRefs(Dataset.open(store, root))
    val found = tag(refs)
    found.branch.foreach(RefNames.checkBranch)
    Dataset.open(store, refs.branches.root(found.branch), Some(found.version))
  }

  /** References of a branch of the table at `root`, which may be a branch itself. */
  def rootOf(store: ObjectStore, root: String, name: String): String = {
    val refs = new TableRefs(Dataset.open(store, root))
    if (name == RefNames.Main) refs.main
    else {
      val _ = refs.branches.get(name)
      refs.branches.root(Some(name))
    }
  }

  private def tagOfBranch(name: String) = new LanceUsageException(
    s"The tag '$name' determines the branch of its version. Leave the branch out."
  )

  /** A root as other software takes it: of what Hadoop calls `s3a://` and `abfs://`, and of its way to write
    * local paths, that knows nothing; it takes `gs://` and `abfss://`, which says the account that `az://`
    * may leave out.
    */
  private[dataset] def shown(root: String): String =
    if (root.startsWith("file:")) "/" + root.stripPrefix("file:").dropWhile(_ == '/')
    else root.replaceFirst("^s3[an]://", "s3://").replaceFirst("^abfs://", "abfss://")
}
