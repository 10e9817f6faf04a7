package io.sparklance.spark.backfill

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.backfill.{AddedColumns, ColumnValues, JobFolder, ReplacedColumns}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.{Field, LanceSchema}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.{BackfillKind, BackfillOptions, OwnReads, RowLayout, WriteOptions}
import io.sparklance.spark.schemachange.MergedSchema
import io.sparklance.spark.session.{Session, SqlNames, TableLocation}
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Resolves the target rows (by address, id or key) and the columns that a DataFrame supplies. */
final private[spark] class BackfillResolver(
    location: TableLocation,
    dataset: Dataset,
    asked: BackfillOptions,
    options: WriteOptions
) {
  BackfillResolver.check(options)

  def write(rows: DataFrame): Unit = {
    if (asked.on.isEmpty && !isIdentified(rows)) throw AddressedRows.noAddress(rows, dataset)
    val names = brought(rows)
    val values = asked.kind match {
      case BackfillKind.Add => added(StructType(names.map(rows.schema(_))))
      case BackfillKind.Update => replaced(names)
    }
    val statement = Statement(asked.kind.command, Map("columns" -> names.mkString(", ")))
    val job = asked.job.getOrElse(java.util.UUID.randomUUID().toString)
    val folder = JobFolder.of(values, job, asked.meaning)
    val source = AddressedRows.of(addressed(rows, names), dataset)
    new BackfillJob(location.at(dataset), values, folder, options, statement).run(source)
  }

  /** Returns the columns that are neither keys nor row identifiers. */
  private def brought(rows: DataFrame): Vector[String] = {
    asked.on.filterNot(key => rows.columns.exists(Session.alike(_, key))).foreach { key =>
      throw new LanceUsageException(
        s"The rows lack the key column '$key'; they have ${rows.columns.mkString(", ")}."
      )
    }
    val names = rows.columns.toVector.filterNot(name =>
      asked.on.exists(Session.alike(_, name)) || BackfillResolver.isReserved(name)
    )
    if (names.isEmpty)
      throw new LanceUsageException(
        s"The rows have no column to write: they have ${rows.columns.mkString(", ")}, which only " +
          "identify rows of the table. Add a column with new values."
      )
    names
  }

  private def added(columns: StructType): ColumnValues = {
    for {
      column <- columns
      there <- dataset.schema.fields.find(field => Session.alike(field.name, column.name))
    } throw new LanceUsageException(
      s"The table has a column '${there.name}' already. Choose another name, or change its values: " +
        "update_columns."
    )
    val all =
      new StructType(SchemaConverter.toSpark(dataset.schema, ReadTypeOptions.written).fields ++ columns)
    val merged = MergedSchema.of(dataset.schema, all, dataset.fileVersion)
    new AddedColumns(dataset, dataset.numbered(merged))
  }

  private def replaced(names: Vector[String]): ColumnValues = {
    val fields = names.map(column)
    fields.flatMap(_.preOrder).find(_.isBlob).foreach { field =>
      throw new UnsupportedLanceFeatureException(s"update_columns of column '${field.name}' of blobs")
    }
    new ReplacedColumns(dataset, LanceSchema(fields))
  }

  private def column(name: String): Field =
    dataset.schema.fields.find(field => Session.alike(field.name, name)).getOrElse(
      throw new LanceUsageException(
        s"The table has no column '$name' to update; it has " +
          s"${dataset.schema.fields.map(_.name).mkString(", ")}. To change a field of a struct, update " +
          "the whole struct; add_columns adds new columns."
      )
    )

  private def isIdentified(rows: DataFrame): Boolean =
    has(rows, MetadataColumn.RowAddr) || has(rows, MetadataColumn.RowId)

  private def has(rows: DataFrame, column: MetadataColumn): Boolean =
    rows.columns.exists(Session.alike(_, column.name))

  /** Returns the columns with the addresses of their rows. */
  private def addressed(rows: DataFrame, names: Vector[String]): DataFrame = {
    val values = names.map(BackfillResolver.quoted)
    val address = col(AddressedRows.Address)
    if (asked.on.nonEmpty) byKeys(rows).select(address +: values: _*)
    else if (has(rows, MetadataColumn.RowAddr)) {
      val known = rows.columns.filter(Session.alike(_, AddressedRows.Address)).map(BackfillResolver.quoted)
      rows.select(known.toVector ++ values: _*)
    } else byIds(rows, values)
  }

  private def byIds(rows: DataFrame, values: Vector[Column]): DataFrame = {
    val id = col(MetadataColumn.RowId.name)
    if (!dataset.hasStableRowIds) rows.select(id.as(AddressedRows.Address) +: values: _*)
    else {
      val places = OwnReads.of(location, dataset).select(id, col(AddressedRows.Address))
      rows.join(places, Seq(MetadataColumn.RowId.name), "left").select(col(AddressedRows.Address) +:
        values: _*)
    }
  }

  /** Joins by keys. New columns are null in rows without a match, as in pylance's `merge`. */
  private def byKeys(rows: DataFrame): DataFrame = {
    val keys = asked.on.map(key => column(key).name)
    val places = OwnReads.of(location, dataset)
      .select(col(AddressedRows.Address) +: keys.map(BackfillResolver.quoted): _*)
    val brought = rows.drop(rows.columns.filter(BackfillResolver.isReserved).toIndexedSeq: _*)
    val how = asked.kind match {
      case BackfillKind.Add => "left"
      case BackfillKind.Update => "inner"
    }
    places.join(brought, keys, how)
  }
}

private[spark] object BackfillResolver {

  /** Whether a name is that of a metadata column, which tables cannot have. */
  def isReserved(name: String): Boolean =
    MetadataColumn.all.exists(column => Session.alike(column.name, name))

  private[backfill] def quoted(name: String): Column = col(SqlNames.quoted(name))

  private def check(options: WriteOptions): Unit = {
    def refuse(what: String) = throw new LanceUsageException(
      s"$what no meaning for a write of columns of existing rows. Leave it out."
    )
    if (options.commit.uncommitted.isDefined) refuse("Option 'uncommitted' has")
    if (options.commit.batch.isDefined) refuse("Options 'txnAppId' and 'txnVersion' have")
    if (options.layout != RowLayout()) refuse("Options that arrange rows have")
  }
}
