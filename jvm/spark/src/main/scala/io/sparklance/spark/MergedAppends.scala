package io.sparklance.spark

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NamedRelation, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.catalog.OpenedVersions
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{LanceOptions, WriteOptions}
import io.sparklance.spark.session.{Session, SqlNames}
import io.sparklance.spark.table.WritableLanceTable
import io.sparklance.spark.types.{DefaultText, Defaults}

/** Gives the table of an append by name with option `mergeSchema` the columns of the rows, before Spark
  * compares the two. Appends by path name such a table themselves: [[PathWrites]].
  */
final private class MergedAppends(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case append: AppendData if append.isByName && append.query.resolved && mayMerge(append) =>
      relation(append.table).fold[LogicalPlan](append)(merged(append, _))
    case other => other
  }

  private def mayMerge(append: AppendData): Boolean = {
    val key = LanceOptions.MergeSchema.name
    append.writeOptions.keys.exists(_.equalsIgnoreCase(key)) ||
    session.conf.getOption(s"spark.datasource.lance.$key").isDefined
  }

  /** Returns the table, if it is one of ours. Spark itself reports a missing one. */
  private def relation(table: NamedRelation): Option[DataSourceV2Relation] = table match {
    case known: DataSourceV2Relation => ours(known)
    case named: UnresolvedRelation =>
      val name = named.multipartIdentifier.map(SqlNames.quoted).mkString(".")
      Try(session.table(name).queryExecution.analyzed).toOption.flatMap(ours)
    case _ => None
  }

  private def ours(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
    case alias: SubqueryAlias => ours(alias.child)
    case relation: DataSourceV2Relation =>
      Option.when(relation.table.isInstanceOf[WritableLanceTable])(relation)
    case _ => None
  }

  private def merged(append: AppendData, relation: DataSourceV2Relation): LogicalPlan = relation.table match {
    case table: WritableLanceTable =>
      translating {
        val write = LanceOptions.forWrite(new CaseInsensitiveStringMap(append.writeOptions.asJava))
        if (!write.changes.mergeSchema) append
        else {
          val target = withColumns(append, relation, table, write)
          val rows = completed(append.query, target.schema)
          // The rule runs until nothing changes, so a table that has the columns stays.
          if (target.table.isInstanceOf[WritableLanceTable]) append.withNewQuery(rows)
          else append.withNewTable(target).withNewQuery(rows)
        }
      }
    case _ => append
  }

  private def completed(rows: LogicalPlan, table: StructType): LogicalPlan = {
    val absent = MergedAppends.absent(rows.schema, table)
    def value(column: StructField) = Cast(
      CatalystSqlParser.parseExpression(MergedAppends.default(column)),
      column.dataType
    )
    if (absent.isEmpty) rows
    else Project(rows.output ++ absent.map(column => Alias(value(column), column.name)()), rows)
  }

  private def withColumns(
      append: AppendData,
      relation: DataSourceV2Relation,
      table: WritableLanceTable,
      write: WriteOptions
  ): DataSourceV2Relation = {
    val place = write.branch.foldLeft(table.location)(_.ofBranch(_))
    val rows = write.creation.columns.applyTo(append.query.schema)
    DataSourceV2Relation.create(
      OpenedVersions.merging(table.name, place, rows),
      relation.catalog,
      relation.identifier
    )
  }
}

private object MergedAppends {

  /** Returns the table's columns that rows may lack. Before 4.2 Spark refuses such rows. */
  def absent(rows: StructType, table: StructType): Seq[StructField] = table.filter { column =>
    (column.nullable || hasDefault(column)) && !rows.exists(c => Session.alike(c.name, column.name))
  }

  /** Returns the SQL of a column's value in rows that lack it. */
  def default(column: StructField): String =
    if (!hasDefault(column)) "NULL"
    else DefaultText.guarded(column.name, column.metadata.getString(Defaults.Current))

  private def hasDefault(column: StructField) = column.metadata.contains(Defaults.Current)
}
