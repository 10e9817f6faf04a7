package io.sparklance.spark.session

import org.apache.spark.sql.SparkSession

import io.sparklance.LanceUsageException

/** The connector's catalogs, by the names that a session configures. Class names are text here, because these
  * classes depend on all other packages; a test compares them.
  */
private[spark] object LanceCatalogs {

  /** Name of the data source format, and of the catalog of tables by their path. */
  val Format = "lance"

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

  /** Returns the name of a catalog that has our procedures. Users may have given the usual names to other
    * catalogs.
    */
  def withProcedures(session: SparkSession): String =
    Seq(Format -> PathCatalog, "spark_catalog" -> SessionCatalog).collectFirst {
      case (name, known) if session.conf.getOption(key(name)).contains(known) => name
    }.getOrElse(
      throw new LanceUsageException(
        s"No catalog has the procedures of Lance tables. Set ${key(Format)} to $PathCatalog."
      )
    )
}
