package io.sparklance.spark.options

import java.util.Locale

/** Names of metadata tables, the suffix in `t.versions`. */
sealed abstract private[sparklance] class MetadataTableName(val name: String) extends Product
    with Serializable

private[sparklance] object MetadataTableName {
  case object Versions extends MetadataTableName("versions")
  case object Transactions extends MetadataTableName("transactions")
  case object Fragments extends MetadataTableName("fragments")
  case object Files extends MetadataTableName("files")
  case object ColumnsOnDisk extends MetadataTableName("columns_on_disk")
  case object Indices extends MetadataTableName("indices")
  case object Tags extends MetadataTableName("tags")
  case object Branches extends MetadataTableName("branches")

  val all: Vector[MetadataTableName] =
    Vector(Versions, Transactions, Fragments, Files, ColumnsOnDisk, Indices, Tags, Branches)

  def find(name: String): Option[MetadataTableName] = all.find(_.name == name.toLowerCase(Locale.ROOT))
}
