package io.sparklance.spark.search

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  FunctionTableSubqueryArgumentExpression,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, Decimal}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.LanceUsageException
import io.sparklance.spark.options.{ConditionText, SearchJson}
import io.sparklance.spark.procedures.TableArgument

/** Values of the arguments of a call, by the names of their parameters. */
final private[search] class SearchArguments(
    function: String,
    signature: SearchSignature,
    values: Map[String, Any]
) {

  def needed(name: String): Any = values.getOrElse(
    name,
    throw new LanceUsageException(
      s"$function needs the argument '$name'. Call ${signature.usage}, with names or in that order."
    )
  )

  def get(name: String): Option[Any] = values.get(name)

  def text(name: String): String = needed(name).toString

  def textIfAny(name: String): Option[String] = values.get(name).map(_.toString)

  def number(name: String): Option[Long] = values.get(name).map(_.toString.toLong)

  def truth(name: String): Option[Boolean] = values.get(name).map(_.toString.toBoolean)

  /** The rows of a query, of a Lance table by its path, or of a table or view with a name. */
  def rows(name: String): LogicalPlan = needed(name) match {
    case plan: LogicalPlan => plan
    case table =>
      val (session, text) = (SparkSession.active, table.toString)
      val rows =
        if (TableArgument.isPath(text)) session.read.format("lance").load(text) else session.table(text)
      rows.queryExecution.analyzed
  }

  /** The filter, if it applies to the nearest rows of the whole table. */
  def laterFilter: Option[String] =
    Option.when(truth("prefilter").contains(false))(()).flatMap(_ => textIfAny("filter"))
      .map(ConditionText.checked("filter"))

  /** The parameters of option `nearest`, but for the query. */
  def search: Map[String, Any] = {
    val range = Vector("lower_bound", "upper_bound").map(values.getOrElse(_, null))
    val filter = values.get("filter").filter(_ => laterFilter.isEmpty)
    val passed = SearchArguments.passed.flatMap(name => values.get(name).map(name -> _)).toMap
    passed ++ Map("column" -> text("column")) ++ filter.map("filter" -> _) ++
      Option.when(range.exists(_ != null))("distance_range" -> range)
  }
}

private[search] object SearchArguments {

  /** Arguments that are parameters of option `nearest` under the same name. */
  private val passed: Vector[String] =
    SearchJson.keys.filterNot(Set("column", "q", "filter", "distance_range"))

  def of(function: String, signature: SearchSignature, arguments: Seq[Expression]): SearchArguments = {
    val parameters = signature.parameters
    val named = arguments.zipWithIndex.map {
      case (NamedArgumentExpression(key, value), _) => parameter(function, parameters, key) -> value
      case (value, i) => parameters.lift(i).getOrElse(
          throw tooMany(function, arguments.size, parameters.size)
        ) -> value
    }
    named.groupBy(_._1.name).find(_._2.size > 1).foreach { case (name, _) =>
      throw new LanceUsageException(s"$function has the argument '$name' twice. Give it once.")
    }
    val values = named.flatMap { case (parameter, value) =>
      found(function, parameter, value).map(parameter.name -> _)
    }
    new SearchArguments(function, signature, values.toMap)
  }

  private def parameter(
      function: String,
      parameters: Vector[SearchParameter],
      key: String
  ): SearchParameter = {
    val lower = key.toLowerCase(Locale.ROOT)
    parameters.find(p => p.name == lower || p.others.contains(lower)).getOrElse(
      throw new LanceUsageException(
        s"$function has no argument '$key'. It takes ${parameters.map(_.name).mkString(", ")}."
      )
    )
  }

  private def tooMany(function: String, count: Int, most: Int) = new LanceUsageException(
    s"$function was called with $count arguments, but takes $most. Leave the others out."
  )

  /** Returns the value of an argument, unless it is null. */
  private def found(function: String, parameter: SearchParameter, value: Expression): Option[Any] =
    value match {
      case table: FunctionTableSubqueryArgumentExpression if parameter.kind == SearchParameterKind.Rows =>
        if (table.hasRepartitioning)
          throw new LanceUsageException(
            s"Argument '${parameter.name}' of $function has a clause on its partitions, which has no meaning here. " +
              "Leave the clause out."
          )
        Some(table.plan)
      case _ => constant(function, parameter, value)
    }

  private def constant(function: String, parameter: SearchParameter, value: Expression): Option[Any] = {
    if (!value.foldable)
      throw new LanceUsageException(
        s"Argument '${parameter.name}' of $function is ${value.sql}, but must be a constant. Give a literal."
      )
    Option(value.eval()).map { result =>
      plain(parameter, result, value.dataType).filter(parameter.kind.fits).getOrElse(
        throw new LanceUsageException(
          s"Argument '${parameter.name}' of $function is of type ${value.dataType.catalogString}, but must be " +
            s"${parameter.kind.name}."
        )
      )
    }
  }

  /** Returns a value of Spark as a text, a whole number, a Double, a truth value, or a vector of such values.
    */
  private def plain(parameter: SearchParameter, value: Any, kind: DataType): Option[Any] =
    (value, kind) match {
      case (array: ArrayData, ArrayType(item, _)) =>
        val items = array.toObjectArray(item).toVector.map {
          case null =>
            throw new LanceUsageException(
              s"Argument '${parameter.name}' has a null among its items. Give numbers."
            )
          case inner => plain(parameter, inner, item)
        }
        Option.when(items.forall(_.isDefined))(items.flatten)
      case (text: UTF8String, _) => Some(text.toString)
      case (number: Decimal, _) => Some(number.toDouble)
      case (number: Float, _) => Some(number.toDouble)
      case (number: Double, _) => Some(number)
      case (number: Byte, _) => Some(number.toLong)
      case (number: Short, _) => Some(number.toLong)
      case (number: Int, _) => Some(number.toLong)
      case (number: Long, _) => Some(number)
      case (truth: Boolean, _) => Some(truth)
      case (_, _) => None
    }
}
