package io.sparklance.spark.session

import org.apache.spark.sql.SparkSession

import io.sparklance.LanceUsageException

/** The connector's catalogs, by the names that a session configures. Class names are text here, because these
  * classes depend on all other packages; a test compares them.
  */
private[spark] object LanceCatalogs {

  /** Name of the data source format, and of the catalog of tables by their path. */
  val Format = "lance"

  final private val OfSession = "spark_catalog"

  val PathCatalog = "io.sparklance.spark.LanceCatalog"
  val SessionCatalog = "io.sparklance.spark.LanceSessionCatalog"

  def key(catalog: String): String = s"spark.sql.catalog.$catalog"

  /** Returns the name of the catalog of tables by their path. The extension registers it, unless the jar was
    * added to a session that runs already.
    */
  def ofPaths(session: SparkSession): String = {
    session.conf.getOption(key(Format)) match {
      case None => session.conf.set(key(Format), PathCatalog)
      case Some(PathCatalog) => ()
      case Some(other) =>
        throw new LanceUsageException(
          s"The catalog named '$Format' is a $other, through which format(\"lance\") cannot write. " +
            s"Unset ${key(Format)} or give that catalog another name."
        )
    }
    Format
  }

  /** Whether a name is that of a catalog. Spark's own answer has another binary form in each release. */
  def isCatalog(session: SparkSession, name: String): Boolean =
    name.equalsIgnoreCase(OfSession) || session.conf.getOption(key(name)).isDefined

  /** Whether a catalog is one of directories, servers and paths. The extension sets that of paths only when a
    * session resolves its first statement.
    */
  def isOurs(session: SparkSession, name: String): Boolean =
    session.conf.getOption(key(name)).fold(name == Format)(_ == PathCatalog)

  /** Returns the name of a catalog that has our procedures: of the current one, in which these find names as
    * a statement does, or of another. Users may have given the usual names to other catalogs.
    */
  def withProcedures(session: SparkSession): String =
    Seq(session.catalog.currentCatalog(), Format, OfSession).find { name =>
      isOurs(session, name) || name == OfSession && session.conf.getOption(key(name)).contains(SessionCatalog)
    }.getOrElse(
      throw new LanceUsageException(
        s"No catalog has the procedures of Lance tables. Set ${key(Format)} to $PathCatalog."
      )
    )
}
