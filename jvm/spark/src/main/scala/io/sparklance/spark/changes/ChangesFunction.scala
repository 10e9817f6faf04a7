package io.sparklance.spark.changes

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{
  BooleanType,
  ByteType,
  IntegerType,
  LongType,
  ShortType,
  StringType,
  TimestampType
}

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.RangeOptions
import io.sparklance.spark.procedures.TableArgument

/** The table function `lance_table_changes(table, start, end)`, also by Delta Lake's name. It stands for a
  * read of the table by its path with option `readChangeFeed`.
  */
private[spark] object ChangesFunction {
  val names: Vector[String] = Vector("lance_table_changes", "table_changes")

  def info(name: String): ExpressionInfo = new ExpressionInfo(
    getClass.getName.stripSuffix("$"),
    null,
    name,
    "_FUNC_(table, start, end, net => false) - rows that commits from one version or time to another have changed",
    "",
    "",
    "",
    "",
    "",
    "",
    ""
  )

  /** Returns the plan of a call. */
  def plan(name: String)(arguments: Seq[Expression]): LogicalPlan =
    translating(new ChangesCall(name).plan(arguments))
}

/** A call of the function by one of its names. */
final private class ChangesCall(name: String) {
  private val parameters = Vector("table", "start", "end", "net")

  def plan(arguments: Seq[Expression]): LogicalPlan = {
    val values = named(arguments)
    def needed(key: String) = values.getOrElse(
      key,
      throw new LanceUsageException(
        s"$name needs the argument '$key'. Call $name(table, start, end), with names or in that order."
      )
    )
    val table = needed("table") match {
      case text: String => text
      case _ => throw misfit("table", "a STRING")
    }
    val start =
      end("start", needed("start"), RangeOptions.StartingVersion.name, RangeOptions.StartingTimestamp.name)
    val last = values.get("end").map(
      end("end", _, RangeOptions.EndingVersion.name, RangeOptions.EndingTimestamp.name)
    )
    val net = values.get("net").map {
      case truth: Boolean => RangeOptions.NetChanges.name -> truth.toString
      case _ => throw misfit("net", "a BOOLEAN")
    }
    val options = Map(RangeOptions.ReadChangeFeed.name -> "true", start) ++ last ++ net
    SparkSession.active.read.format("lance").options(options).load(TableArgument.location(table).uri)
      .queryExecution.analyzed
  }

  /** Returns the option for an end of the range: a version, or a time. */
  private def end(key: String, value: Any, version: String, time: String): (String, String) = value match {
    case number: Long => version -> number.toString
    case text: String => time -> text
    case _ => throw misfit(key, "a version or a time")
  }

  private def named(arguments: Seq[Expression]): Map[String, Any] = {
    val pairs = arguments.zipWithIndex.map {
      case (NamedArgumentExpression(key, value), _) =>
        parameters.find(_.equalsIgnoreCase(key)).getOrElse(
          throw new LanceUsageException(
            s"$name has no argument '$key'. It takes ${parameters.mkString(", ")}."
          )
        ) -> value
      case (value, i) => parameters.lift(i).getOrElse(
          throw new LanceUsageException(
            s"$name was called with ${arguments.size} arguments, but takes ${parameters.size}. Leave the others out."
          )
        ) -> value
    }
    pairs.groupBy(_._1).find(_._2.size > 1).foreach { case (key, _) =>
      throw new LanceUsageException(s"$name has the argument '$key' twice. Give it once.")
    }
    pairs.flatMap { case (key, value) => constant(key, value).map(key -> _) }.toMap
  }

  /** Returns the value of an argument, unless it is null. */
  private def constant(key: String, value: Expression): Option[Any] = {
    if (!value.foldable)
      throw new LanceUsageException(
        s"Argument '$key' of $name is ${value.sql}, but must be a constant. Give a literal."
      )
    Option(value.eval()).map { result =>
      value.dataType match {
        case _: StringType => result.toString
        case BooleanType => result
        case ByteType | ShortType | IntegerType | LongType => result.toString.toLong
        case TimestampType => DateTimeUtils.microsToInstant(result.toString.toLong).toString
        case _ => throw misfit(key, "a STRING, a number, a BOOLEAN or a TIMESTAMP")
      }
    }
  }

  private def misfit(key: String, kind: String) =
    new LanceUsageException(s"Argument '$key' of $name must be $kind. Give such a value.")
}
