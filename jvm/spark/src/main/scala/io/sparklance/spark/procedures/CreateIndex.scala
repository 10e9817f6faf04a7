package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.spark.index.{ExistingIndex, IndexBuild, IndexRequest, RequestedKind}

private[sparklance] object CreateIndex
    extends LanceProcedure("create_index", "Builds an index on a column, by Spark jobs.") {
  private val column = Parameter.text("column")
  private val kind = Parameter.text("type")
  private val index = Parameter.text("name").optional
  private val replace = Parameter.flag("replace")
  private val ifNotExists = Parameter.flag("if_not_exists")
  private val train = Parameter.flag("train").optional
  private val fragments = Parameter.numbers("fragment_ids").optional
  private val options = Parameter.entries("options").optional

  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, column, kind, index, replace, ifNotExists, train, fragments, options)

  val result: StructType =
    StructType.fromDDL("version BIGINT NOT NULL, name STRING NOT NULL, fragments_indexed BIGINT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val request = IndexRequest(
      arguments(column),
      RequestedKind(arguments(kind), settings(arguments)),
      arguments(index),
      existing(arguments),
      arguments(train).getOrElse(true),
      arguments(fragments).map(_.toSet)
    )
    val built = new IndexBuild(arguments.location).create(request)
    Iterator(Seq[Any](built.dataset.version, built.name, built.fragments.fold(0L)(_.size.toLong)))
  }

  private def existing(arguments: Arguments): ExistingIndex =
    if (arguments(replace) && arguments(ifNotExists))
      throw new LanceUsageException(
        "Arguments 'replace' and 'if_not_exists' exclude each other. Give one of them."
      )
    else if (arguments(replace)) ExistingIndex.Replace
    else if (arguments(ifNotExists)) ExistingIndex.Keep
    else ExistingIndex.Refuse

  private def settings(arguments: Arguments): Map[String, String] =
    arguments(options).getOrElse(Map.empty[String, Option[String]]).map { case (name, value) =>
      name ->
        value.getOrElse(throw new LanceUsageException(s"Setting '$name' of the index is NULL. Give a value."))
    }
}
