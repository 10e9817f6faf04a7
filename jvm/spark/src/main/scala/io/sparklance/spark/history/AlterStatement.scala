package io.sparklance.spark.history

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._

/** ALTER TABLE statements as the history names them. */
private[spark] object AlterStatement {

  /** @param changes all column changes of one statement, at least one */
  def ofColumns(changes: Seq[ColumnChange]): Statement = {
    val names = changes.map(_.fieldNames.mkString(".")).distinct
    val listed = "columns" -> names.mkString(", ")
    changes match {
      case Seq(rename: RenameColumn) =>
        val after = (rename.fieldNames.init :+ rename.newName).mkString(".")
        Statement("RENAME COLUMN", Map("oldColumnPath" -> names.head, "newColumnPath" -> after))
      case all if all.forall(isOf[AddColumn]) => Statement("ADD COLUMNS", Map(listed))
      case all if all.forall(isOf[DeleteColumn]) => Statement("DROP COLUMNS", Map(listed))
      case _ if names.size == 1 =>
        val said = changes.map(change).toMap
        Statement("CHANGE COLUMN", said + ("column" -> names.head))
      case _ => Statement("CHANGE COLUMNS", Map(listed))
    }
  }

  /** @param changes property changes only */
  def ofProperties(changes: Seq[TableChange]): Statement = {
    val set = changes.collect { case set: SetProperty => s"${set.property}=${set.value}" }
    val removed = changes.collect { case removed: RemoveProperty => removed.property }
    val listed = "properties" -> (set ++ removed).mkString(", ")
    Statement(if (set.isEmpty) "UNSET TBLPROPERTIES" else "SET TBLPROPERTIES", Map(listed))
  }

  private def isOf[A](change: ColumnChange)(implicit tag: scala.reflect.ClassTag[A]): Boolean =
    tag.runtimeClass.isInstance(change)

  private def change(change: ColumnChange): (String, String) = change match {
    case retype: UpdateColumnType => "type" -> retype.newDataType.sql
    case nulls: UpdateColumnNullability => "nullable" -> nulls.nullable.toString
    case comment: UpdateColumnComment => "comment" -> String.valueOf(comment.newComment)
    case move: UpdateColumnPosition => "position" -> move.position.toString
    case default: UpdateColumnDefaultValue => "default" -> String.valueOf(default.newDefaultValue)
    case other => "change" -> other.getClass.getSimpleName
  }
}
