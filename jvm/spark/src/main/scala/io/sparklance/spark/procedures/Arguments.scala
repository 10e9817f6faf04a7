package io.sparklance.spark.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, Reference, TableRefs}
import io.sparklance.spark.session.TableLocation

/** The values of a procedure's parameters. */
final private[sparklance] class Arguments private[procedures] (
    parameters: Vector[Parameter[_]],
    row: InternalRow,
    catalog: ProcedureCatalog
) {

  def apply[A](parameter: Parameter[A]): A = {
    val at = parameters.indexWhere(_.name == parameter.name)
    require(at >= 0, s"the procedure has no parameter ${parameter.name}")
    parameter.of(row, at)
  }

  /** Location of the table in [[Parameter.table]]. */
  private[spark] lazy val location: TableLocation = TableArgument.location(apply(Parameter.table), catalog)

  /** The name in [[Parameter.table]], which need not exist, and the catalog that has or gets it: the
    * procedure's, whose name may come first.
    */
  private[procedures] def newName: (TableRegistry, Identifier) = catalog match {
    case registry: TableRegistry =>
      val parts = CatalystSqlParser.parseMultipartIdentifier(apply(Parameter.table))
      val path = if (parts.length > 1 && parts.head == catalog.name) parts.tail else parts
      (registry, Identifier.of(path.init.toArray, path.last))
    case _ => throw new LanceUsageException(
        s"The catalog ${catalog.name} has statements for this: CREATE TABLE … USING lance LOCATION … registers a table, and DROP TABLE " +
          "keeps its files. For other catalogs, call the procedure of the one that is meant."
      )
  }

  /** The table's latest version. */
  def latest: Dataset = Dataset.open(location.store, location.root)

  /** The table at the version in [[Parameter.version]]. */
  def dataset: Dataset = TableRefs.open(
    location.store,
    location.root,
    apply(Parameter.version).fold(Reference.latest)(Reference.parse)
  )

  /** Returns the first rows, as many as [[Parameter.limit]] allows. */
  def limited[A](rows: Iterator[A]): Iterator[A] =
    apply(Parameter.limit).fold(rows)(n => rows.take(math.min(math.max(n, 0), Int.MaxValue.toLong).toInt))
}
