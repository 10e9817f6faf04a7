package io.sparklance.table.refs

import java.time.Instant
import java.util.UUID

import scala.util.control.NonFatal

import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.ManifestFile
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** The branches of a table, except the main branch.
  *
  * @param main
  *   root of the main branch
  */
final private[sparklance] class Branches(store: ObjectStore, main: String) {
  private val files = new RefFiles(store, StorePath.join(main, "_refs", "branches"), BranchCodec)

  def all: Vector[(String, Branch)] = files.all

  def find(name: String): Option[Branch] = {
    RefNames.checkBranch(name)
    files.get(name)
  }

  def get(name: String): Branch = find(name).getOrElse(throw missing(name))

  /** Returns the root of a branch's table. */
  def root(branch: Option[String]): String = branch.fold(main)(StorePath.join(main, "tree", _))

  /** Refuses an invalid or existing name for a new branch. */
  def checkFree(name: String): Unit = {
    RefNames.checkNewBranch(name)
    if (find(name).isDefined) throw exists(name)
  }

  /** Registers a branch whose first version exists already.
    *
    * @param version
    *   the parent's version at which it begins
    */
  def create(name: String, parent: Option[String], version: ManifestFile): Branch = {
    val step = Branch.Step(version.version, UUID.randomUUID().toString.replace("-", ""))
    val before = parent.fold(Vector.empty[Branch.Step])(get(_).identifier)
    val branch = Branch(parent, before :+ step, version.version, Instant.now(), version.sizeIn(store))
    if (!files.create(name, branch)) throw exists(name)
    branch
  }

  /** Removes a branch with its files. Refused if other branches begin at its versions and share its files, or
    * if tags name its versions. Who makes such a reference meanwhile looks afterwards whether the branch is
    * still there; so its file goes first, and comes back if a reference is found only then.
    */
  def delete(name: String): Unit = {
    val branch = get(name)
    checkUnused(name, branch)
    files.delete(name)
    try checkUnused(name, branch)
    catch {
      case NonFatal(e) =>
        val _ = files.create(name, branch)
        throw e
    }
    remove(name)
  }

  private def checkUnused(name: String, branch: Branch): Unit = {
    val users =
      all.collect { case (other, b) if other != name && b.beginsIn(name, branch) => s"branch '$other'" } ++
        new Tags(store, main).all.collect { case (tag, t) if t.branch.contains(name) => s"tag '$tag'" }
    if (users.nonEmpty)
      throw new LanceUsageException(
        s"Branch '$name' of the table at $main cannot be deleted: ${users.mkString(", ")} would lose its versions. " +
          "Delete these first."
      )
  }

  /** Removes what an interrupted creation of a branch has left. Takes the name meanwhile, so that a creation
    * that is not interrupted fails.
    */
  def clear(name: String): Unit =
    if (find(name).isDefined || !files.create(name, Branch(None, Vector.empty, 0, Instant.now(), 0)))
      delete(name)
    else {
      remove(name)
      files.delete(name)
    }

  private def remove(name: String): Unit =
    directory(name, all.map(_._1).filterNot(_ == name)).foreach(store.deleteTree)

  /** Returns the directory to remove with a branch: one that neither contains nor lies within another
    * branch's, and cannot be part of another branch's table.
    */
  private def directory(name: String, others: Vector[String]): Option[String] = {
    val parts = name.split('/').toVector
    val shared = others.map(_.split('/').toVector.zip(parts).takeWhile(p => p._1 == p._2).length)
    val common = shared.maxOption.getOrElse(0)
    val isOthers = common > 0 && parts.lift(common).exists(RefNames.isOfTable)
    Option.when(common < parts.length && !isOthers)(root(Some(parts.take(common + 1).mkString("/"))))
  }

  private def exists(name: String) = new LanceUsageException(
    s"The table at $main has a branch '$name' already. Delete it first, or choose another name."
  )

  private def missing(name: String) = new LanceTableNotFoundException(
    s"The table at $main has no branch '$name'; it has ${RefNames.listed(all.map(_._1))}."
  )
}
