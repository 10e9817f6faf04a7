package io.sparklance.spark.search

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Reference, TableRefs}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{SearchJson, SearchRequest, StoreOptions}
import io.sparklance.spark.procedures.TableArgument
import io.sparklance.spark.session.Session

/** The table function `lance_vector_join(left, right, column, query_column, k => 10, …)`: each row of a table
  * or query with the rows of a Lance table whose vectors are nearest to its own.
  */
private[spark] object JoinFunction {
  val name: String = "lance_vector_join"

  val info: ExpressionInfo = new ExpressionInfo(
    getClass.getName.stripSuffix("$"),
    null,
    name,
    "_FUNC_(left, right, column, k => 10, …) - each row of a table with the nearest rows of a Lance table",
    "",
    "",
    "",
    "",
    "",
    "",
    ""
  )

  /** Returns the plan of a call. */
  def plan(arguments: Seq[Expression]): LogicalPlan = translating {
    val call = SearchArguments.of(name, SearchSignature.join(name), arguments)
    val left = call.rows("left")
    val location = TableArgument.location(call.text("right"))
    val reference = call.number("version").fold(Reference.latest)(Reference.version)
    val dataset = TableRefs.open(location.store, location.root, reference)
    val request = parsed(call)
    val options = new CaseInsensitiveStringMap(StoreOptions.at(location).asJava)
    val right = RightSide(dataset, location.at(dataset), options)
    val join = VectorJoin.of(left, queryColumn(call, left), right, request, isOuter(call))
    named(join, call.textIfAny("suffix").getOrElse("_right"))
  }

  private def parsed(call: SearchArguments): SearchRequest =
    try SearchJson.parse(SearchJson.print(call.search + ("q" -> Vector.empty)))
    catch {
      case e: IllegalArgumentException =>
        throw new LanceUsageException(s"Arguments of $name do not fit: ${e.getMessage}. Change them.", e)
    }

  private def queryColumn(call: SearchArguments, left: LogicalPlan): Expression = {
    val wanted = call.textIfAny("query_column").getOrElse(call.text("column"))
    left.output.filter(c => Session.alike(c.name, wanted)) match {
      case Seq(one) => one
      case found =>
        throw new LanceUsageException(
          s"The left side of $name has ${if (found.isEmpty) "no column" else s"${found.size} columns"} '$wanted' with " +
            s"the vectors to search for. Name one of ${left.output.map(_.name).mkString(", ")} by query_column."
        )
    }
  }

  private def isOuter(call: SearchArguments): Boolean =
    call.textIfAny("join_type").map(_.toLowerCase(java.util.Locale.ROOT)) match {
      case None | Some("inner") => false
      case Some("left" | "left outer" | "left_outer" | "leftouter") => true
      case Some(other) =>
        throw new LanceUsageException(s"$name has no join_type '$other'. Use inner or left.")
    }

  /** Gives columns of the right side other names than those of the left side. */
  private def named(join: VectorJoin, suffix: String): LogicalPlan = {
    val left = join.child.output
    def isTaken(name: String) = left.exists(c => Session.alike(c.name, name))
    val right = (join.found :+ join.distance).map { column =>
      val name =
        if (isTaken(column.name) && column != join.distance) column.name + suffix else column.name
      if (isTaken(name))
        throw new LanceUsageException(
          s"The left side of ${this.name} has a column '$name', and so would the result. Rename it, or give another " +
            "suffix."
        )
      Alias(column, name)()
    }
    Project(left ++ right, join)
  }
}
