package io.sparklance.spark.procedures

import java.net.URI

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.metadata.BranchesTable
import io.sparklance.spark.options.StoreOptions

/** Procedures of branches, and of clones, which share files as branches do. */
private[procedures] object BranchProcedures {
  private val branch = Parameter.text("branch")
  private val force = Parameter.flag("force")
  private val ifNotExists = Parameter.flag("if_not_exists")
  private val ifExists = Parameter.flag("if_exists")
  private val target = Parameter.text("target")
  private val cloneName = Parameter.text("name").optional

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure.listing("branches", "Lists the branches of a table, except the main one.", BranchesTable),
    LanceProcedure(
      "create_branch",
      "Creates a branch: a history of its own that begins with a version of the table.",
      Vector(branch, Parameter.version, ifNotExists),
      "branch STRING NOT NULL, version BIGINT NOT NULL, location STRING NOT NULL"
    )(createBranch),
    LanceProcedure(
      "delete_branch",
      "Removes a branch with its versions and files, if no other branch or tag needs them.",
      Vector(branch, force, ifExists),
      "branch STRING NOT NULL"
    )(deleteBranch),
    LanceProcedure(
      "shallow_clone",
      "Creates a table at another path that begins with a version of this one and shares its files.",
      Vector(target, Parameter.version, cloneName),
      "location STRING NOT NULL, version BIGINT NOT NULL"
    )(shallowClone)
  )

  private def createBranch(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(branch)
    val source = arguments.dataset
    val parameters = Map("branch" -> name, "sourceVersion" -> source.version.toString)
    val refs = new TableRefs(source)
    val made =
      if (arguments(ifNotExists) && refs.branches.find(name).isDefined)
        Dataset.open(source.store, refs.branches.root(Some(name)))
      else refs.createBranch(name, Statement("CREATE BRANCH", parameters).said)
    Iterator(Seq(name, made.version, made.root))
  }

  /** With `force`, also removes the remains of an interrupted `create_branch`. */
  private def deleteBranch(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(branch)
    val branches = new TableRefs(arguments.latest).branches
    if (arguments(ifExists) && branches.find(name).isEmpty) Iterator.empty
    else {
      if (arguments(force)) branches.clear(name) else branches.delete(name)
      Iterator(Seq(name))
    }
  }

  private def shallowClone(arguments: Arguments): Iterator[Seq[Any]] = {
    val source = arguments.dataset
    val place = StoreOptions.locate(arguments(target))
    if (store(source.root) != store(place.root))
      throw new LanceUsageException(
        s"A table at ${place.root} cannot share the files of ${source.root}, which are in another store. " +
          "Choose a target in the same store, or write the rows there."
      )
    arguments(cloneName).filter(SparkSession.active.catalog.tableExists).foreach { name =>
      throw new LanceUsageException(s"There is a table '$name' already. Drop it, or choose another name.")
    }
    val parameters =
      Map("source" -> source.root, "sourceVersion" -> source.version.toString, "isShallow" -> "true")
    val made =
      new TableRefs(source).shallowClone(place.root, place.store, Statement("CLONE", parameters).said)
    arguments(cloneName).foreach(register(_, place.uri))
    Iterator(Seq(made.root, made.version))
  }

  /** Gives the new table a name in its catalog. */
  private def register(name: String, uri: String): Unit = {
    val place = uri.replace("\\", "\\\\").replace("'", "\\'")
    try { val _ = SparkSession.active.sql(s"CREATE TABLE $name USING lance LOCATION '$place'") }
    catch {
      case NonFatal(e) => throw new LanceUsageException(
          s"The clone is at $uri, but got no name '$name': ${e.getMessage} Register it by another way, or delete the directory.",
          e
        )
    }
  }

  private def store(root: String): (String, String) = {
    val uri: URI = new Path(root).toUri
    (uri.getScheme, uri.getAuthority)
  }
}
