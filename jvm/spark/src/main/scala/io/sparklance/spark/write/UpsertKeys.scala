package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types.{
  ByteType,
  DataType,
  DateType,
  IntegerType,
  LongType,
  ShortType,
  StringType,
  StructType
}
import org.apache.spark.sql.{Column, DataFrame, Row}

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.SqlNames

/** Columns by which a stream merges its rows. Each row has a key, and in an epoch each key has one row. */
final private[write] class UpsertKeys(keys: Vector[String], epoch: String) {
  private val columns = keys.map(key => col(SqlNames.quoted(key)))
  private val names = keys.indices.map(i => s"key$i")

  /** Checks the keys of an epoch's rows. Returns values of the first key column that a filter may have. */
  def in(rows: DataFrame, count: Long): Option[Vector[Any]] = {
    val isFew = count <= UpsertKeys.Few
    // One task, without a shuffle.
    val counted =
      (if (isFew) rows.coalesce(1) else rows).groupBy(columns: _*).count().toDF(names :+ "rows": _*)
    val found = if (isFew) counted.collect() else counted.where(isWrong).limit(1).collect()
    found.find(row => keys.indices.exists(row.isNullAt)).foreach(_ => throw isNull)
    found.find(_.getLong(keys.size) > 1).foreach(row => throw repeated(row))
    val values = found.map(_.get(0)).toVector.distinct
    Option.when(
      isFew && values.size <= UpsertKeys.MostValues && UpsertKeys.filters(rows.schema(keys.head).dataType)
    )(values)
  }

  private def isWrong: Column = names.map(col(_).isNull).foldLeft(col("rows") > lit(1))(_ || _)

  private def isNull = new LanceUsageException(
    s"Epoch $epoch of the stream has rows whose key (${keys.mkString(", ")}) is null, so they cannot be merged. Filter them out, or " +
      "replace the nulls. Nothing of the epoch was written."
  )

  private def repeated(row: Row) = {
    val key = keys.indices.map(row.get).mkString(", ")
    new LanceUsageException(
      s"Epoch $epoch of the stream has ${row.getLong(keys.size)} rows with the key ${keys.mkString(", ")} = $key, so the row to keep is " +
        "ambiguous. Aggregate the rows by key, or merge with foreachBatch, which can choose. Nothing of the epoch was written."
    )
  }
}

private[write] object UpsertKeys {

  /** Most rows of an epoch whose keys the driver looks at. */
  final private val Few = 10000L

  /** Most values of a filter. */
  final private val MostValues = 1000

  /** Checks that keys are columns of the table, of types that can be compared. */
  def check(keys: Vector[String], table: StructType, name: String): Unit = {
    keys.diff(keys.distinct).headOption.foreach { key =>
      throw new LanceUsageException(s"Option 'mergeKeys' has the column '$key' twice. Name it once.")
    }
    keys.foreach { key =>
      val column = table.find(_.name == key).getOrElse(throw new LanceUsageException(
        s"Option 'mergeKeys' has the column '$key', which $name lacks; its columns are ${table.fieldNames.mkString(", ")}. Name one of them."
      ))
      if (!RowOrdering.isOrderable(column.dataType))
        throw new LanceUsageException(
          s"Option 'mergeKeys' has the column '$key' of type ${column.dataType.catalogString}, whose values cannot be compared. Choose another."
        )
    }
  }

  /** Whether values of a type may be in a filter: those that are equal have one form. */
  private def filters(kind: DataType): Boolean = kind match {
    case ByteType | ShortType | IntegerType | LongType | DateType => true
    case text: StringType => text == StringType
    case _ => false
  }
}
