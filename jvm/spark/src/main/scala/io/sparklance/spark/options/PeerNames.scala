package io.sparklance.spark.options

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.schema.BlobVersion
import io.sparklance.spark.types.FieldMetadata

/** Names of lance-spark's for what has another name here: properties of its tables, and options. */
private[spark] object PeerNames {

  private val ofWrites: Map[String, LanceOption[_]] = Map(
    "enable_stable_row_ids" -> LanceOptions.EnableStableRowIds,
    "file_format_version" -> LanceOptions.DataStorageVersion,
    "data_storage_version" -> LanceOptions.DataStorageVersion,
    "max_row_per_file" -> LanceOptions.MaxRowsPerFile,
    "max_rows_per_file" -> LanceOptions.MaxRowsPerFile,
    "max_bytes_per_file" -> LanceOptions.MaxBytesPerFile
  )
  private val ofReads: Map[String, LanceOption[_]] = Map("batch_size" -> LanceOptions.BatchSize)

  private val hints =
    Set("compression", "compression-level", "structural-encoding", "rle-threshold", "bss") ++
      Set("divisor", "size-ratio", "values-compression", "values-compression-level").map("dict-" + _) +
      "minichunk-size"

  private val OfColumn =
    "(?!lance\\.|sparklance\\.|spark\\.)(.+)\\.(?:lance\\.([^.]+)|arrow\\.large_var_char)".r

  /** Returns properties with our names. */
  def properties(said: JMap[String, String]): JMap[String, String] = {
    val all = said.asScala.toMap
    // An option of the statement is passed with its bare name, too, and keeps it.
    val (named, others) = all.partition { case (key, _) => !all.contains(TableCatalog.OPTION_PREFIX + key) }
    (others ++ unique("Property", named.toVector)(property)).asJava
  }

  def change(said: TableChange): TableChange = said match {
    case set: SetProperty if lower(set.property) == "enable_stable_row_ids" =>
      throw new LanceUsageException(
        s"Property '${set.property}' is for CREATE TABLE, and would have no effect on a table that exists. To give its rows stable " +
          "ids, CALL lance.system.enable_stable_row_ids(table)."
      )
    case set: SetProperty => property(set.property -> set.value) match {
        case (key, value) => TableChange.setProperty(key, value)
      }
    case removed: RemoveProperty => TableChange.removeProperty(name(removed.property))
    case other => other
  }

  /** Returns our name of a property, whatever its value was. */
  private def name(said: String): String =
    Seq("true", "blob").map(value => property(said -> value)._1).find(_ != said).getOrElse(said)

  /** Returns options of a read or a write with our names. */
  def options(said: CaseInsensitiveStringMap, isWrite: Boolean): CaseInsensitiveStringMap = {
    val known = if (isWrite) ofWrites else ofReads
    val all = said.asCaseSensitiveMap.asScala.toVector
    if (!all.exists(option => known.contains(lower(option._1)))) said
    else new CaseInsensitiveStringMap(unique("Option", all) { case (key, value) =>
      known.get(lower(key)).fold(key)(_.name) -> value
    }.asJava)
  }

  /** Returns a property by our name; the others are as they are. */
  private def property(said: (String, String)): (String, String) = {
    val (key, value) = said
    ofWrites.get(lower(key)).map(option => TableProperties.WritePrefix + option.name -> value)
      .getOrElse(key match {
        case OfColumn(column, null) if value.equalsIgnoreCase("true") =>
          s"$column.${FieldMetadata.AskedTypeKey}" -> "large_string"
        case OfColumn(column, "encoding") if value.equalsIgnoreCase("blob") =>
          s"$column.${BlobVersion.V1Key}" -> "true"
        case OfColumn(column, hint) if hints(hint) => s"$column.lance-encoding:$hint" -> value
        case _ => said
      })
  }

  private def unique(kind: String, all: Vector[(String, String)])(
      ours: ((String, String)) => (String, String)
  ): Map[String, String] = {
    val named = all.map(said => ours(said) -> said._1)
    val groups = named.groupBy { case ((key, _), _) => lower(key) }.values
    groups.find(same => same.size > 1 && same.exists { case ((key, _), its) => key != its }).foreach { same =>
      throw new LanceUsageException(
        s"$kind '${same.head._1._1}' is given twice, as ${same.map(_._2).sorted.mkString(" and ")}. Give it once."
      )
    }
    named.map(_._1).toMap
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
