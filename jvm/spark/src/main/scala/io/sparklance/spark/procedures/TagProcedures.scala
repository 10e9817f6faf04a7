package io.sparklance.spark.procedures

import java.time.Duration

import io.sparklance.dataset.TableRefs
import io.sparklance.dataset.cleanup.CleanupPolicy
import io.sparklance.spark.metadata.TagsTable

/** Procedures that list, make, move and delete tags. */
private[procedures] object TagProcedures {
  private val tag = Parameter.text("tag")
  private val retain = Parameter.text("retain").optional
  private val ifNotExists = Parameter.flag("if_not_exists")
  private val ifExists = Parameter.flag("if_exists")

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure.listing("tags", "Lists the tags of a table.", TagsTable),
    LanceProcedure.withSchema(
      "create_tag",
      "Gives a version a name.",
      Vector(tag, Parameter.version, ifNotExists, retain),
      TagsTable.schema
    )(createTag),
    LanceProcedure.withSchema(
      "update_tag",
      "Moves a tag to another version.",
      Vector(tag, Parameter.version, retain),
      TagsTable.schema
    )(updateTag),
    LanceProcedure.withSchema(
      "delete_tag",
      "Deletes a tag, and shows its version.",
      Vector(tag, ifExists),
      TagsTable.schema
    )(deleteTag)
  )

  private def createTag(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(tag)
    val refs = new TableRefs(arguments.dataset)
    val known = if (arguments(ifNotExists)) refs.tags.find(name) else None
    Iterator(TagsTable.row(name -> known.getOrElse(refs.createTag(name, retention(arguments)))))
  }

  private def updateTag(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(tag)
    Iterator(TagsTable.row(name -> new TableRefs(arguments.dataset).updateTag(name, retention(arguments))))
  }

  private def retention(arguments: Arguments): Option[Duration] = arguments(retain).map(CleanupPolicy.age)

  private def deleteTag(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(tag)
    val tags = new TableRefs(arguments.latest).tags
    if (arguments(ifExists) && tags.find(name).isEmpty) Iterator.empty
    else Iterator(TagsTable.row(name -> tags.delete(name)))
  }
}
