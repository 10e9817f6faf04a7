package io.sparklance.dataset.schemachange

import io.sparklance.LanceUsageException
import io.sparklance.dataset.schemachange.ColumnChange._
import io.sparklance.schema.{Field, LanceSchema, LogicalType, PrimaryKey}

/** Applies column changes to a schema. Invalid changes are user errors. */
private[sparklance] object SchemaEdit {

  def apply(schema: LanceSchema, changes: Seq[ColumnChange]): LanceSchema =
    changes.foldLeft(schema)((before, change) => checked(one(before, change)))

  private def one(schema: LanceSchema, change: ColumnChange): LanceSchema = change match {
    case Add(parent, field, place) => within(schema, parent)(placed(_, field, place))
    case Drop(id) => without(schema, id)
    case Rename(id, name) => among(schema, id, "renamed")(replaced(_, id)(_.copy(name = name)))
    case AllowNulls(id) =>
      refuseKeys(schema, id)
      beside(schema, id)(replaced(_, id)(_.copy(nullable = true)))
    case ForbidNulls(id) => beside(schema, id)(replaced(_, id)(_.copy(nullable = false)))
    case Describe(id, entries) => beside(schema, id)(replaced(_, id)(described(_, entries)))
    case Move(id, place) =>
      val moved = field(schema, id)
      among(schema, id, "moved")(siblings => placed(siblings.filterNot(_.id == id), moved, place))
    case Retype(id, logicalType) =>
      val retyped = replaced(_: Vector[Field], id)(
        _.copy(id = LanceSchema.NoId, logicalType = logicalType, children = Vector.empty)
      )
      beside(schema, id)(retyped)
  }

  /** The field with a number. */
  def field(schema: LanceSchema, id: Int): Field = schema.preOrder.find(_.id == id).getOrElse(
    throw new LanceUsageException(s"The table has no field with the number $id any more.")
  )

  /** The field with all that it is in, the column first. */
  def path(schema: LanceSchema, id: Int): Vector[Field] = {
    def below(field: Field): Option[Vector[Field]] =
      if (field.id == id) Some(Vector(field))
      else field.children.iterator.flatMap(below).nextOption().map(field +: _)
    schema.fields.iterator.flatMap(below).nextOption().getOrElse(Vector(field(schema, id)))
  }

  def name(schema: LanceSchema, id: Int): String = path(schema, id).map(_.name).mkString(".")

  private def without(schema: LanceSchema, id: Int): LanceSchema = among(schema, id, "dropped") { siblings =>
    if (siblings.size == 1)
      throw new LanceUsageException(
        path(schema, id).init match {
          case Vector() =>
            s"Column '${siblings.head.name}' is the only one of the table, which needs at least one. " +
              "Drop the table instead."
          case around =>
            s"'${siblings.head.name}' is the only field of struct '${around.map(_.name).mkString(".")}', " +
              "which needs at least one. Drop the struct instead."
        }
      )
    siblings.filterNot(_.id == id)
  }

  private def described(field: Field, entries: Map[String, Option[String]]): Field =
    field.copy(metadata = entries.foldLeft(field.metadata) { case (all, (key, value)) =>
      value.fold(all - key)(all.updated(key, _))
    })

  private def placed(siblings: Vector[Field], field: Field, place: Place): Vector[Field] = place match {
    case Place.First => field +: siblings
    case Place.Last => siblings :+ field
    case Place.After(id) =>
      val at = siblings.indexWhere(_.id == id)
      if (at < 0)
        throw new LanceUsageException(
          s"'${field.name}' cannot stand after a field of another parent. Name one of " +
            s"${siblings.map(_.name).mkString(", ")}."
        )
      siblings.patch(at + 1, Vector(field), 0)
  }

  private def replaced(siblings: Vector[Field], id: Int)(change: Field => Field): Vector[Field] =
    siblings.map(field => if (field.id == id) change(field) else field)

  /** Changes the fields beside one, itself included. */
  private def beside(schema: LanceSchema, id: Int)(change: Vector[Field] => Vector[Field]): LanceSchema =
    changed(schema, path(schema, id).dropRight(1).lastOption.map(_.id))(change)

  /** Returns the field, if it is a column or a field of a struct, and not an item of a list or map. */
  private def among(schema: LanceSchema, id: Int, done: String)(
      change: Vector[Field] => Vector[Field]
  ): LanceSchema = {
    path(schema, id).dropRight(1).lastOption.foreach { parent =>
      if (!isOpen(schema, parent))
        throw new LanceUsageException(
          s"'${name(schema, id)}' cannot be $done: it is an inherent part of " +
            s"'${name(schema, parent.id)}'. Only columns and the fields of plain structs can."
        )
    }
    beside(schema, id)(change)
  }

  /** Changes the fields of a struct, or the columns of the table. */
  private def within(schema: LanceSchema, parent: Option[Int])(
      change: Vector[Field] => Vector[Field]
  ): LanceSchema = {
    parent.map(field(schema, _)).filterNot(isOpen(schema, _)).foreach { closed =>
      throw new LanceUsageException(
        s"'${name(schema, closed.id)}' cannot have further fields: it is not a plain struct."
      )
    }
    changed(schema, parent)(change)
  }

  /** Whether it is a struct whose fields are columns of their own, and of the user's choice. */
  private def isOpen(schema: LanceSchema, struct: Field): Boolean = {
    val around = path(schema, struct.id)
    val isEntry = around.dropRight(1).lastOption.exists(_.logicalType == LogicalType.Map)
    struct.logicalType == LogicalType.Struct && !isEntry && !around.exists(f => f.isPacked || f.isBlob)
  }

  private def changed(schema: LanceSchema, parent: Option[Int])(
      change: Vector[Field] => Vector[Field]
  ): LanceSchema = {
    def below(field: Field): Field =
      field.copy(children =
        if (parent.contains(field.id)) change(field.children) else field.children.map(below)
      )
    schema.copy(fields = if (parent.isEmpty) change(schema.fields) else schema.fields.map(below))
  }

  private def refuseKeys(schema: LanceSchema, id: Int): Unit = {
    if (field(schema, id).preOrder.exists(f => PrimaryKey.position(f.metadata).isDefined))
      throw new LanceUsageException(
        s"Column '${name(schema, id)}' is part of the table's primary key, or contains a part of it. " +
          "Such columns cannot be null."
      )
    path(schema, id).takeRight(3) match {
      case Vector(Field(_, map, LogicalType.Map, _, _, _), entries, key)
          if entries.children.head.id == key.id =>
        throw new LanceUsageException(s"The keys of map '$map' cannot be null.")
      case _ => ()
    }
  }

  private def checked(schema: LanceSchema): LanceSchema = {
    def below(fields: Vector[Field]): Unit = {
      fields.groupBy(_.name).find(_._2.size > 1).foreach { case (name, _) =>
        throw new LanceUsageException(
          s"Two fields of one parent would be named '$name'. Choose another name."
        )
      }
      fields.foreach(field => below(field.children))
    }
    below(schema.fields)
    schema
  }
}
