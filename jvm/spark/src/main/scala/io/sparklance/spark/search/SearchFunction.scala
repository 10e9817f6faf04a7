package io.sparklance.spark.search

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{LanceOptions, SearchJson, StoreOptions}
import io.sparklance.spark.procedures.TableArgument

/** The table function `lance_vector_search(table, column, query, k => 10, …)`. It stands for a read of the
  * table by its path with option `nearest`.
  */
private[spark] object SearchFunction {
  val names: Vector[String] = Vector("lance_vector_search", "vector_search")

  def info(name: String): ExpressionInfo = info(
    getClass,
    name,
    "_FUNC_(table, column, query, k => 10, …) - the rows of a Lance table whose vectors are nearest to the query"
  )

  private[search] def info(function: Class[_], name: String, usage: String): ExpressionInfo =
    new ExpressionInfo(function.getName.stripSuffix("$"), null, name, usage, "", "", "", "", "", "", "")

  /** Returns the plan of a call. */
  def plan(name: String)(arguments: Seq[Expression]): LogicalPlan = translating {
    val call = SearchArguments.of(name, SearchSignature.search(name), arguments)
    val search = SearchJson.print(call.search + ("q" -> call.needed("query")))
    val found = read(call, LanceOptions.Nearest.name, search)
    call.laterFilter.fold(found)(found.where).queryExecution.analyzed
  }

  /** Reads the table of a call with a search. */
  private[search] def read(call: SearchArguments, option: String, search: String): DataFrame = {
    val location = TableArgument.location(call.text("table"))
    val reader = SparkSession.active.read.format("lance").options(StoreOptions.at(location))
    val versioned =
      call.number("version").fold(reader)(v => reader.option(LanceOptions.Version.name, v))
    versioned.option(option, search).load(location.uri)
  }
}
