package io.sparklance.spark.published

/** The tests of Spark's suites that do not pass, by name, each with its reason. records/spark-suites.md has
  * the reasons.
  */
object Refused {
  sealed abstract class Reason(val text: String)
  private case object Partitions extends Reason("tables have no partitions, and are not clustered")
  private case object Places
      extends Reason(
        "the catalog chooses locations of tables and namespaces, and shows them as properties"
      )
  private case object Namespaces
      extends Reason(
        "namespaces are created before their contents, and a missing one is an error"
      )
  private case object Root extends Reason("the current namespace of a catalog is `root`, and not empty")
  private case object Names extends Reason("names of columns have no dots, and strings no collations")
  private case object Columns
      extends Reason(
        "a new NOT NULL column needs a DEFAULT; nested fields take none; existing rows get it; no REPLACE COLUMNS"
      )
  private case object Versions extends Reason("planned queries and cached tables stay at their version")
  private case object Works extends Reason("the statement works, but the test expects an error")
  private case object OwnTables
      extends Reason(
        "the test expects details of Spark's own tables: format, errors and plans"
      )
  private case object Options extends Reason("unknown options are refused")

  val reasons: Vector[Reason] =
    Vector(Partitions, Places, Namespaces, Root, Names, Columns, Versions, Works, OwnTables, Options)

  private val inserting: Map[Reason, Vector[String]] = Map(
    Partitions -> Vector(
      "InsertInto: append to partitioned table - static clause",
      "InsertInto: overwrite - dynamic clause - static mode",
      "InsertInto: overwrite - dynamic clause - dynamic mode",
      "InsertInto: overwrite - missing clause - static mode",
      "InsertInto: overwrite - missing clause - dynamic mode",
      "InsertInto: overwrite - static clause",
      "InsertInto: overwrite - mixed clause - static mode",
      "InsertInto: overwrite - mixed clause reordered - static mode",
      "InsertInto: overwrite - implicit dynamic partition - static mode",
      "InsertInto: overwrite - mixed clause - dynamic mode",
      "InsertInto: overwrite - mixed clause reordered - dynamic mode",
      "InsertInto: overwrite - implicit dynamic partition - dynamic mode",
      "InsertInto: overwrite - multiple static partitions - dynamic mode",
      "SPARK-34599: InsertInto: overwrite - dot in the partition column name - static mode",
      "insertInto: append partitioned table",
      "insertInto: overwrite partitioned table in static mode",
      "insertInto: overwrite partitioned table in static mode by position",
      "insertInto: overwrite partitioned table in dynamic mode",
      "insertInto: overwrite partitioned table in dynamic mode by position"
    )
  )

  private val altering: Map[Reason, Vector[String]] = Map(
    Columns -> Vector(
      "AlterTable: add column with NOT NULL",
      "SPARK-39383 DEFAULT columns on V2 data sources with ALTER TABLE ADD/ALTER COLUMN",
      "AlterTable: alter multiple columns/fields in the same command",
      "AlterTable: replace columns"
    ),
    OwnTables -> Vector(
      "AlterTable: change rejected by implementation"
    ),
    Places -> Vector(
      "AlterTable: set table property",
      "AlterTable: remove table property"
    )
  )

  /** Suite → reason → tests. */
  private val tests: Map[String, Map[Reason, Vector[String]]] = Map(
    "InsertIntoDirectory" -> inserting,
    "InsertIntoSession" -> inserting,
    "AlterTableDirectory" -> altering,
    "AlterTableSession" -> altering,
    "AlterNamespaceSetLocation" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "basic test"
      )
    ),
    "AlterNamespaceSetProperties" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "test reserved properties"
      )
    ),
    "AlterNamespaceUnsetProperties" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "test reserved properties"
      )
    ),
    "AlterTableRename" -> Map[Reason, Vector[String]](
      Partitions -> Vector(
        "SPARK-37963: preserve partition info"
      )
    ),
    "AlterTableReplaceColumns" -> Map[Reason, Vector[String]](
      Columns -> Vector(
        "SPARK-37304: Replace columns by ANSI intervals"
      )
    ),
    "AlterTableSetLocation" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "alter table set location"
      )
    ),
    "AlterTableSetTblProperties" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "alter table set properties"
      )
    ),
    "AlterTableUnsetTblProperties" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "alter table unset properties",
        "alter table unset non-existent properties"
      )
    ),
    "CreateNamespace" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "namespace with location"
      )
    ),
    "DeleteFromDirectory" -> Map[Reason, Vector[String]](
      Works -> Vector(
        "DeleteFrom with v2 filtering: fail if has subquery",
        "DeleteFrom with v2 filtering: delete with unsupported predicates"
      )
    ),
    "DeleteFromTable" -> Map[Reason, Vector[String]](
      Versions -> Vector(
        "delete refreshes relation cache"
      ),
      OwnTables -> Vector(
        "delete with supported predicates gets converted into delete with filters"
      )
    ),
    "DescribeNamespace" -> Map[Reason, Vector[String]](
      Places -> Vector(
        "DescribeNamespace using v2 catalog"
      )
    ),
    "DescribeTable" -> Map[Reason, Vector[String]](
      Partitions -> Vector(
        "DESCRIBE TABLE of a partitioned table",
        "describe a clustered table",
        "describe a clustered table - alter table cluster by",
        "describe a clustered table - alter table cluster by none",
        "describe a clustered table - dataframe writer v1",
        "describe a clustered table - dataframe writer v2",
        "Describing a partition is not supported",
        "DESCRIBE TABLE of a partitioned table by nested columns",
        "DESCRIBE TABLE EXTENDED of a partitioned table"
      ),
      Names -> Vector(
        "describe complex columns",
        "describe a nested column",
        "DESCRIBE TABLE EXTENDED with collation specified = true"
      ),
      OwnTables -> Vector(
        "describe extended (formatted) a column"
      )
    ),
    "DropTable" -> Map[Reason, Vector[String]](
      Works -> Vector(
        "purge option"
      )
    ),
    "MergeIntoTable" -> Map[Reason, Vector[String]](
      Versions -> Vector(
        "merge refreshed relation cache"
      ),
      OwnTables -> Vector(
        "some target filters are evaluated on data source side"
      )
    ),
    "ShowCreateTable" -> Map[Reason, Vector[String]](
      Partitions -> Vector(
        "partitioned data source table",
        "SPARK-33898: show create table[CTAS]",
        "SPARK-33898: show create table[simple]",
        "SPARK-33898: show create table[multi-partition]"
      ),
      Places -> Vector(
        "data source table with user specified schema"
      ),
      OwnTables -> Vector(
        "SPARK-36012: add null flag when show create table",
        "SPARK-24911: keep quotes for nested fields",
        "data source table CTAS",
        "data source table with a comment",
        "data source table with table properties",
        "SPARK-46629: show struct fields with NOT NULL and comment"
      ),
      Options -> Vector(
        "SPARK-37494: Unify v1 and v2 option output"
      )
    ),
    "ShowNamespaces" -> Map[Reason, Vector[String]](
      Namespaces -> Vector(
        "IN namespace doesn't exist"
      )
    ),
    "ShowTables" -> Map[Reason, Vector[String]](
      Partitions -> Vector(
        "show table extended with a not existing partition",
        "show table extended in multi partition key - the command's partition parameters are complete",
        "show table extended in multi partition key - the command's partition parameters are incomplete",
        "show table extended in multi tables",
        "show table extended: the display order of the columns is different in v1 and v2",
        "show table extended in non-partitioned table"
      ),
      Namespaces -> Vector(
        "show tables in nested namespaces"
      ),
      Root -> Vector(
        "show tables with current catalog and namespace"
      )
    ),
    "TruncateTable" -> Map[Reason, Vector[String]](
      Partitions -> Vector(
        "SPARK-34418: truncate partitioned tables",
        "SPARK-34418: preserve partitions in truncated table",
        "case sensitivity in resolving partition specs",
        "truncation of views is not allowed",
        "keep dependents as cached after table truncation",
        "truncate a partition of non partitioned table"
      ),
      Versions -> Vector(
        "SPARK-34215: keep table cached after truncation"
      )
    ),
    "UpdateTable" -> Map[Reason, Vector[String]](
      Versions -> Vector(
        "update refreshes relation cache"
      )
    )
  )

  /** Refused tests of a suite, by their names in Spark. */
  def of(suite: Class[_]): Map[String, Reason] = for {
    (reason, names) <- tests.getOrElse(suite.getSimpleName, Map.empty)
    name <- names
  } yield name -> reason
}
