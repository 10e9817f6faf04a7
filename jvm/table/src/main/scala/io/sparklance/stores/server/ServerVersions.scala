package io.sparklance.stores.server

import java.util.UUID

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.hadoop.fs.Path

import io.sparklance.io.{CommitHandler, LatePutException, ObjectStore, StorePath}
import io.sparklance.rest.{NamespaceServer, ServerVersion}
import io.sparklance.table.StagedManifests._
import io.sparklance.table.{ManifestName, ManifestNaming}
import io.sparklance.{
  CatalogServerException,
  IncompatibleCommitConflictException,
  LanceFormatException,
  LanceTableNotFoundException,
  Location,
  ServerError
}

/** Commits to tables whose versions a server manages: the server decides who made a version.
  *
  * {{{
  * 1  the manifest is written under a name of its own     _versions/<name>.manifest-<uuid>
  * 2  the server makes the version of it                  create_table_version; from here on it is committed
  * 3  the manifest is where readers look for it           _versions/<name>.manifest
  * }}}
  *
  * The reference's server does step 3 within step 2. If another one does not, the writer does, or the next
  * reader.
  *
  * @param table
  *   the parts of its name
  * @param home
  *   root of the table, of which branches are directories
  */
final private[stores] class ServerVersions(server: NamespaceServer, table: Vector[String], home: String)
    extends CommitHandler {
  import ServerVersions._

  /** Whether the server refused a commit because the table is gone. */
  @volatile private var isGone = false

  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean = {
    val staged = s"$path-${UUID.randomUUID()}"
    val record = ServerVersion(version, keyOf(staged), Some(manifest.length.toLong))
    store.put(staged, manifest)
    val attempt = new Attempt(store, path, version, manifest, staged)
    val isOurs = Try(server.createVersion(table, branchOf(attempt.directory), record, namingOf(path))) match {
      case Success(made) => finish(attempt, made)
      case Failure(e: CatalogServerException) => afterFailure(e, attempt)
      case Failure(e) => throw e
    }
    harmless(store.delete(staged))
    isOurs
  }

  /** Failures after the server may have made the version are [[LatePutException]]s. */
  override private[sparklance] def isRefusal(failure: Throwable): Boolean =
    failure.isInstanceOf[CatalogServerException]

  /** The version is made. If its manifest cannot be put, the next reader puts it. */
  private def finish(attempt: Attempt, made: ServerVersion): Boolean =
    try {
      publish(attempt.store, attempt.directory, made, Some(attempt.manifest))
      true
    } catch {
      case NonFatal(e) => throw new LatePutException(
          s"the server made the version, but its manifest could not be put: ${e.getMessage}",
          e
        )
    }

  /** Tells whether the version is ours after all: the server may have repeated a call of which the answer was
    * lost.
    */
  private def afterFailure(failure: CatalogServerException, attempt: Attempt): Boolean =
    Try(attempt.isPublished) match {
      case Success(Some(isOurs)) => isOurs
      case _ if failure.error == ServerError.ConcurrentModification =>
        Try(isRecorded(attempt)) match {
          case Success(Some(isOurs)) => isOurs
          case Failure(e: LatePutException) => throw e
          case Success(None) | Failure(_) => throw late(failure)
        }
      case _ if isDefinite(failure.error) =>
        harmless(attempt.store.delete(attempt.staged))
        isGone = isGone || isMissing(failure.error)
        throw failure
      case _ => throw late(failure)
    }

  /** Whether the server has the version from this attempt; None if it does not tell. */
  private def isRecorded(attempt: Attempt): Option[Boolean] =
    server.latestVersion(table, branchOf(attempt.directory)).filter(_.number == attempt.version) match {
      case Some(made) if isAt(made, attempt.staged) => Some(finish(attempt, made))
      case Some(made) if !isAt(made, attempt.path) => Some(false)
      case _ => attempt.isPublished
    }

  /** The record goes first: a record without a manifest makes a table unreadable. */
  override def retract(store: ObjectStore, path: String, version: Long): Unit = {
    server.deleteVersion(table, branchOf(directoryOf(path)), version)
    store.delete(path)
  }

  /** A branch that is about to be made has no versions yet: the reference's server knows no table there. */
  def settle(store: ObjectStore, directory: String): Unit = {
    val branch = branchOf(directory)
    try server.latestVersion(table, branch).foreach(publish(store, directory, _, None))
    catch {
      case e: CatalogServerException if branch.isDefined && isMissing(e.error) => ()
      case e: CatalogServerException if e.error == ServerError.TableNotFound => throw gone(e)
    }
  }

  private def gone(cause: CatalogServerException): RuntimeException = {
    val problem =
      s"The table '${table.mkString(".")}' is no longer in the catalog: it was dropped, renamed or deregistered"
    if (isGone)
      new IncompatibleCommitConflictException(s"$problem before the commit. Nothing was committed.", cause)
    else new LanceTableNotFoundException(s"$problem. Look for it with SHOW TABLES.", cause)
  }

  /** Puts the manifest of a version where readers look for it, unless it is there.
    *
    * @param known
    *   the manifest, if the caller has it
    */
  private def publish(
      store: ObjectStore,
      directory: String,
      version: ServerVersion,
      known: Option[Array[Byte]]
  ): Unit = {
    val (name, isStaged) = nameIn(version, directory)
    val path = StorePath.join(directory, name)
    if (!store.exists(path)) {
      val staged = Option.when(isStaged)(StorePath.join(directory, lastOf(version.path)))
      val bytes = known.orElse(staged.flatMap(contents(store, _)))
      // Or another reader was faster.
      bytes match {
        case Some(manifest) => store.put(path, manifest)
        case None if store.exists(path) => ()
        case None => throw lost(path, version)
      }
    }
  }

  /** Returns the final name of a version's manifest, and whether the server names a staged one. Manifests
    * outside of the table's directory are refused: nobody granted them.
    */
  private def nameIn(version: ServerVersion, directory: String): (String, Boolean) =
    (version.path.stripSuffix(lastOf(version.path)), lastOf(version.path)) match {
      case (parent, Recorded(name, uuid))
          if parent.stripPrefix("/") == keyOf(directory) + "/" && isOf(name, version.number) =>
        (name, uuid != null)
      case _ =>
        throw new LanceFormatException(
          s"the server at ${server.options} says that the manifest of version ${version.number} of '${table.mkString(".")}' is " +
            s"${version.path}, which is none of the table's",
          Location(file = Some(directory))
        )
    }

  /** @param directory of versions, of the table or of one of its branches */
  private def branchOf(directory: String): Option[String] = {
    val (root, main) = (keyOf(directoryOf(directory)), keyOf(home))
    val prefix = s"$main/$Branches/"
    if (root == main) None
    else if (root.startsWith(prefix)) Some(root.stripPrefix(prefix))
    else
      throw new LanceFormatException(
        s"$root is no branch of the table at $main, whose versions the server at ${server.options} manages",
        Location(file = Some(directory))
      )
  }

  private def lost(path: String, version: ServerVersion) = new LanceFormatException(
    s"the server at ${server.options} records version ${version.number} of '${table.mkString(".")}', but its manifest is gone",
    Location(file = Some(path))
  )
}

private[stores] object ServerVersions {

  /** A manifest under a name of its own, which is to become a version.
    *
    * @param path
    *   the manifest's final path
    */
  final private class Attempt(
      val store: ObjectStore,
      val path: String,
      val version: Long,
      val manifest: Array[Byte],
      val staged: String
  ) {
    def directory: String = directoryOf(path)

    /** Whether the manifest at the final path is this one; None if there is none. */
    def isPublished: Option[Boolean] = contents(store, path).map(java.util.Arrays.equals(_, manifest))
  }

  private def late(failure: Throwable) =
    new LatePutException(s"the version may yet be made: ${failure.getMessage}", failure)

  private def isAt(version: ServerVersion, path: String): Boolean =
    version.path.stripPrefix("/") == keyOf(path)

  /** Directory of a table's branches. */
  private val Branches = "tree"

  /** Whether an error says that nothing happened, and nothing will. */
  private def isDefinite(error: ServerError): Boolean = error match {
    case ServerError.Internal | ServerError.ServiceUnavailable => false
    case _ => true
  }

  private def isMissing(error: ServerError): Boolean =
    error == ServerError.TableNotFound || error == ServerError.TableBranchNotFound

  private def namingOf(path: String): String = ManifestNaming.parse(lastOf(path)) match {
    case Some(ManifestName.Attached(_, ManifestNaming.V1)) => "V1"
    case Some(ManifestName.Attached(_, ManifestNaming.V2)) => "V2"
    case Some(ManifestName.Detached(_)) | None =>
      throw new IllegalStateException(s"$path is no version's manifest")
  }

  /** Returns a path within its store, as the server has it: without scheme, host and first slash. */
  private def keyOf(path: String): String =
    new Path(path).toUri.getPath.stripPrefix("/").stripSuffix("/")
}
