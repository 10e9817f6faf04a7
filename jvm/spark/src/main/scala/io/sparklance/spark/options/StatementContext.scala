package io.sparklance.spark.options

import java.util.UUID

import scala.collection.concurrent.TrieMap
import scala.util.Try

import org.apache.spark.sql.connector.catalog.{Identifier, Table}
import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.dataset.{Dataset, Reference}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.session.SqlNames

/** Values that one part of the connector passes to another without Spark's help. All of them stand here,
  * because each is an exception.
  *
  * A statement builds a plan, and Spark later calls the connector back with only a table's name. Spark keeps
  * none of the connector's objects in between, so six values take another way:
  *
  *   - Store options of a write by path. Spark passes a writer's options to the write, but it loads the table
  *     by name before that. They belong to the thread, because Spark resolves a statement on the thread that
  *     runs it.
  *   - The statement of a write by path, for the table's history. The write reaches the catalog as a
  *     statement that creates or replaces a table. It belongs to the thread, too.
  *   - The request to keep fragments whole in a scan's splits. Spark plans the scan deep inside a query that
  *     a user has built, without options of the connector. It belongs to the thread as well.
  *   - The version that a query of our own reads. Spark looks the table up by its path, which would read its
  *     manifest again. It belongs to the thread.
  *   - The table that a backfill writes to. No catalog can find it, so it is registered under a random name
  *     for the duration of the write. It is visible to all threads, because a name is all that the plan
  *     holds.
  *   - The columns of rows that a schema merge appends. A catalog must return a table that already has them,
  *     so the table's name holds their schema.
  *
  * A new value belongs here only if Spark leaves no other way. Values on threads last as long as the body
  * that they are set for.
  */
private[spark] object StatementContext {

  // ---- store options of a write by path

  private val storeOptionsOfWrite = new ThreadValue[(String, StoreOptions)]

  /** Runs `body`; meanwhile, tables at `path` are resolved with these options. */
  def withStoreOptions[A](path: String, options: StoreOptions)(body: => A): A =
    storeOptionsOfWrite.set(path -> options)(body)

  def storeOptions(path: String): StoreOptions =
    storeOptionsOfWrite.get.collect { case (`path`, options) => options }.getOrElse(StoreOptions.none)

  // ---- the statement of a write by path

  private val statementOfWrite = new ThreadValue[Statement]

  /** Runs `body`; meanwhile, commits record a write in this mode of Spark. */
  def withWrite[A](mode: String)(body: => A): A = statementOfWrite.set(Statement.write(mode))(body)

  def write: Option[Statement] = statementOfWrite.get

  // ---- scans that keep fragments whole

  private val wholeSnapshot = new ThreadValue[(String, Long)]

  /** Runs `body`; meanwhile, splits of scans of this snapshot do not divide fragments. */
  def withWholeFragments[A](dataset: Dataset)(body: => A): A =
    wholeSnapshot.set(dataset.root -> dataset.version)(body)

  def wantsWholeFragments(dataset: => Dataset): Boolean =
    wholeSnapshot.get.exists(_ == (dataset.root -> dataset.version))

  // ---- the version that a query of our own reads

  private val versionRead = new ThreadValue[Dataset]

  /** Runs `body`; meanwhile, reads of this version by its path and number use this one. */
  def withVersion[A](dataset: Dataset)(body: => A): A = versionRead.set(dataset)(body)

  /** Returns the version that is meant of the table at `root`, if it is known. */
  def version(root: String, reference: Reference): Option[Dataset] = versionRead.get.filter { dataset =>
    dataset.isWhole && dataset.root == root &&
    reference == Reference(None, Reference.Version(dataset.version))
  }

  // ---- tables registered for one write

  private val TableNamespace = "columns"
  private val tables = TrieMap.empty[String, Table]

  /** Runs `body` with a name for the table. The name starts below the catalog and is valid until `body` ends.
    */
  def withTable[A](table: Table)(body: String => A): A = {
    val id = UUID.randomUUID().toString
    tables.put(id, table)
    try body(s"$TableNamespace.`$id`")
    finally { val _ = tables.remove(id) }
  }

  object RegisteredTable {
    def unapply(ident: Identifier): Option[Table] = ident.namespace match {
      case Array(TableNamespace) => tables.get(ident.name)
      case _ => None
    }
  }

  // ---- tables by path that get new columns

  private val MergeNamespace = "mergeSchema"

  /** Returns the name, below the catalog, of the table at `path` with the columns of `rows`:
    * ``mergeSchema.`{…}`.`/path` ``.
    */
  def mergeTarget(path: String, rows: StructType): String =
    Seq(MergeNamespace, rows.json, path).map(SqlNames.quoted).mkString(".")

  object MergeTarget {
    def unapply(ident: Identifier): Option[(String, StructType)] = ident.namespace match {
      case Array(MergeNamespace, json) =>
        Try(DataType.fromJson(json)).toOption.collect { case rows: StructType => (ident.name, rows) }
      case _ => None
    }
  }
}

/** A value that is set for one thread while a body runs. */
final private class ThreadValue[A] {
  private val current = new ThreadLocal[Option[A]] {
    override def initialValue: Option[A] = None
  }

  def get: Option[A] = current.get

  def set[B](value: A)(body: => B): B = {
    val before = current.get
    current.set(Some(value))
    try body
    finally current.set(before)
  }
}
