package io.sparklance.spark.search

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, Decimal}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{LanceOptions, SearchJson, StoreOptions}
import io.sparklance.spark.procedures.TableArgument

/** The table function `lance_vector_search(table, column, query, k => 10, …)`. It stands for a read of the
  * table by its path with option `nearest`.
  */
private[spark] object SearchFunction {
  val names: Vector[String] = Vector("lance_vector_search", "vector_search")

  def info(name: String): ExpressionInfo = new ExpressionInfo(
    getClass.getName.stripSuffix("$"),
    null,
    name,
    "_FUNC_(table, column, query, k => 10, …) - the rows of a Lance table whose vectors are nearest to the query",
    "",
    "",
    "",
    "",
    "",
    "",
    ""
  )

  /** Returns the plan of a call. */
  def plan(name: String)(arguments: Seq[Expression]): LogicalPlan = translating {
    val call = SearchArguments.of(name, arguments)
    val location = TableArgument.location(call.text("table"))
    val reader = SparkSession.active.read.format("lance").options(StoreOptions.at(location))
    val versioned =
      call.number("version").fold(reader)(v => reader.option(LanceOptions.Version.name, v))
    val search = versioned.option(LanceOptions.Nearest.name, SearchJson.print(call.search))
    val found = search.load(location.uri)
    call.laterFilter.fold(found)(found.where).queryExecution.analyzed
  }
}

/** A parameter of the function.
  *
  * @param others
  *   further names, from other engines
  */
final private case class SearchParameter(
    name: String,
    kind: SearchParameterKind,
    others: Vector[String] = Vector.empty
)

/** Values of the arguments of a call, by the names of their parameters. */
final private class SearchArguments(function: String, values: Map[String, Any]) {

  def text(name: String): String = values.get(name).map(_.toString).getOrElse(
    throw new LanceUsageException(
      s"$function needs the argument '$name'. Call $function(table, column, query, k => 10), with names or in that order."
    )
  )

  def number(name: String): Option[Long] = values.get(name).map(_.toString.toLong)

  private def truth(name: String): Option[Boolean] = values.get(name).map(_.toString.toBoolean)

  /** The filter, if it applies to the nearest rows of the whole table. */
  def laterFilter: Option[String] =
    Option.when(truth("prefilter").contains(false))(()).flatMap(_ => values.get("filter")).map(_.toString)

  /** The parameters of option `nearest`. */
  def search: Map[String, Any] = {
    text("column")
    val query = values.getOrElse("query", text("query"))
    val range = Vector("lower_bound", "upper_bound").map(values.getOrElse(_, null))
    val filter = values.get("filter").filter(_ => laterFilter.isEmpty)
    val passed = SearchArguments.passed.flatMap(name => values.get(name).map(name -> _)).toMap
    passed ++ Map("q" -> query) ++ filter.map("filter" -> _) ++
      Option.when(range.exists(_ != null))("distance_range" -> range)
  }
}

private object SearchArguments {

  private val parameters: Vector[SearchParameter] = Vector(
    SearchParameter("table", SearchParameterKind.Text),
    SearchParameter("column", SearchParameterKind.Text, Vector("vector_column")),
    SearchParameter("query", SearchParameterKind.Vectors, Vector("query_vector")),
    SearchParameter("k", SearchParameterKind.Whole, Vector("num_results")),
    SearchParameter("filter", SearchParameterKind.Text),
    SearchParameter("metric", SearchParameterKind.Text, Vector("distance_type")),
    SearchParameter("prefilter", SearchParameterKind.Truth),
    SearchParameter("lower_bound", SearchParameterKind.Number),
    SearchParameter("upper_bound", SearchParameterKind.Number),
    SearchParameter("nprobes", SearchParameterKind.Whole),
    SearchParameter("minimum_nprobes", SearchParameterKind.Whole),
    SearchParameter("maximum_nprobes", SearchParameterKind.Whole),
    SearchParameter("refine_factor", SearchParameterKind.Whole),
    SearchParameter("ef", SearchParameterKind.Whole),
    SearchParameter("use_index", SearchParameterKind.Truth),
    SearchParameter("fast_search", SearchParameterKind.Truth),
    SearchParameter("version", SearchParameterKind.Whole)
  )

  /** Arguments that are parameters of option `nearest` under the same name. */
  private val passed: Vector[String] =
    SearchJson.keys.filter(key => key != "filter" && parameters.exists(_.name == key))

  def of(function: String, arguments: Seq[Expression]): SearchArguments = {
    val named = arguments.zipWithIndex.map {
      case (NamedArgumentExpression(key, value), _) => parameter(function, key) -> value
      case (value, i) => parameters.lift(i).getOrElse(throw tooMany(function, arguments.size)) -> value
    }
    named.groupBy(_._1.name).find(_._2.size > 1).foreach { case (name, _) =>
      throw new LanceUsageException(s"$function has the argument '$name' twice. Give it once.")
    }
    val values = named.flatMap { case (parameter, value) =>
      constant(function, parameter, value).map(parameter.name -> _)
    }
    new SearchArguments(function, values.toMap)
  }

  private def parameter(function: String, key: String): SearchParameter = {
    val lower = key.toLowerCase(Locale.ROOT)
    parameters.find(p => p.name == lower || p.others.contains(lower)).getOrElse(
      throw new LanceUsageException(
        s"$function has no argument '$key'. It takes ${parameters.map(_.name).mkString(", ")}."
      )
    )
  }

  private def tooMany(function: String, count: Int) = new LanceUsageException(
    s"$function was called with $count arguments, but takes ${parameters.size}. Leave the others out."
  )

  /** Returns the value of an argument, unless it is null. */
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

/** A kind of argument.
  *
  * @param name
  *   name for messages
  */
sealed abstract private class SearchParameterKind(val name: String) {
  def fits(value: Any): Boolean
}

private object SearchParameterKind {
  case object Text extends SearchParameterKind("a STRING") {
    def fits(value: Any): Boolean = value.isInstanceOf[String]
  }
  case object Whole extends SearchParameterKind("a whole number") {
    def fits(value: Any): Boolean = value.isInstanceOf[Long]
  }
  case object Number extends SearchParameterKind("a number") {
    def fits(value: Any): Boolean = value.isInstanceOf[Long] || value.isInstanceOf[Double]
  }
  case object Truth extends SearchParameterKind("a BOOLEAN") {
    def fits(value: Any): Boolean = value.isInstanceOf[Boolean]
  }

  /** A vector, or several. */
  case object Vectors extends SearchParameterKind("an array of numbers, or of such arrays") {
    def fits(value: Any): Boolean = value match {
      case items: Vector[_] => items.nonEmpty && items.forall(item => Number.fits(item) || fits(item))
      case _ => false
    }
  }
}
