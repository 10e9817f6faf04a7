package io.sparklance.spark.aliases

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.procedures.TableArgument
import io.sparklance.spark.session.{LanceCatalogs, SqlNames, ThriftServer}

/** Turns [[Alias]]es of Lance tables into procedure calls. The next parser gets all other statements,
  * including those of other formats.
  *
  * It is a JDK proxy, because each version of Spark adds methods to parsers.
  */
final private class AliasParser(session: SparkSession, next: ParserInterface) extends InvocationHandler {

  override def invoke(proxy: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef = {
    def handOn(): AnyRef =
      try method.invoke(next, arguments: _*)
      catch { case e: InvocationTargetException => AliasParser.failed(e.getCause, method) }
    Option(arguments).flatMap(_.headOption) match {
      case Some(sql: String) if AliasParser.parsesStatements(method.getName) =>
        ThriftServer.prepare(session)
        translating(DescribedFunctions.query(session, sql) match {
          case Some(query) => next.parsePlan(query)
          case None => Alias.parse(sql).fold(handOn())(parsed(_, handOn _))
        })
      case _ => handOn()
    }
  }

  private def parsed(alias: Alias, handOn: () => AnyRef): AnyRef =
    if (TableArgument.isLance(alias.table)) next.parsePlan(call(alias))
    else
      try handOn() match {
          case plan: LogicalPlan if isMistaken(alias, plan) => unopened(alias, None)
          case other => other
        }
      catch { case e: ParseException => unopened(alias, Some(e)) }

  /** Whether Spark took `DESCRIBE HISTORY t` for the column `t` of a table `HISTORY`. */
  private def isMistaken(alias: Alias, plan: LogicalPlan): Boolean =
    plan.nodeName == "DescribeColumn" && !session.catalog.tableExists(alias.statement.words.last)

  /** Leaves it to the procedure to say why a Lance table cannot be opened: a proxy cannot throw all kinds of
    * errors.
    */
  private def unopened(alias: Alias, cause: Option[Throwable]): AnyRef =
    if (TableArgument.isUnusable(alias.table)) next.parsePlan(call(alias)) else throw noTable(alias, cause)

  private def noTable(alias: Alias, cause: Option[Throwable]) = new LanceUsageException(
    s"'${alias.table}' is not a Lance table, and Spark does not have this statement for other tables. " +
      s"Give the name or path of a Lance table: ${alias.statement.usage}.",
    cause.orNull
  )

  private def call(alias: Alias): String = {
    val arguments = ("table" -> Alias.text(alias.table)) +: alias.arguments
    val list = arguments.map { case (name, value) => s"$name => $value" }.mkString(", ")
    s"CALL ${SqlNames.quoted(LanceCatalogs.withProcedures(session))}.system.${alias.statement.procedure}($list)"
  }
}

private[spark] object AliasParser {

  def over(session: SparkSession, next: ParserInterface): ParserInterface = Proxy.newProxyInstance(
    classOf[AliasParser].getClassLoader,
    Array[Class[_]](classOf[ParserInterface]),
    new AliasParser(session, next)
  ).asInstanceOf[ParserInterface]

  /** Throws the next parser's exception. Spark's checked ones, such as those of scripts, would not pass the
    * proxy as they are: statements throw them when they are analyzed.
    */
  private def failed(failure: Throwable, method: Method): AnyRef = failure match {
    case unchecked @ (_: RuntimeException | _: Error | _: ParseException) => throw unchecked
    case checked: Throwable with SparkThrowable if parsesStatements(method.getName) =>
      FailedStatement(checked)
    case checked => throw checked
  }

  /** Whether a method parses statements; from Spark 4.1 on there are two. */
  private def parsesStatements(method: String): Boolean =
    method == "parsePlan" || method == "parsePlanWithParameters"
}

/** A statement that no parser accepts. Its analysis throws the parser's exception. */
final private[aliases] case class FailedStatement(failure: Throwable) extends LeafNode {
  override lazy val resolved: Boolean = thrown[Boolean]
  override def output: Seq[Attribute] = thrown[Seq[Attribute]]

  private def thrown[A]: A = throw failure
}
