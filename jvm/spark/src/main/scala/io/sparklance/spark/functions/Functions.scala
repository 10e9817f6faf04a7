package io.sparklance.spark.functions

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{NoSuchFunctionException, NoSuchNamespaceException}
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}

/** Functions of Lance catalogs, with and without the namespace `system`. Spark does not look up functions in
  * its session catalog: see [[UnqualifiedFunctions]].
  */
private[spark] object Functions {
  private val Namespace = "system"

  val all: Vector[UnboundFunction] = Vector(
    new VectorDistance("cosine", DistanceFormula.Cosine),
    new VectorDistance("dot", DistanceFormula.Dot),
    new VectorDistance("l2", DistanceFormula.L2),
    MakeRowAddress,
    RowAddressFragment,
    RowAddressOffset,
    new TextPredicate("lance_match", isPhrase = false),
    new TextPredicate("lance_match_phrase", isPhrase = true),
    TextMarks
  )

  /** Returns the function's name, if it exists. */
  def named(name: String): Option[String] = find(name).map(_.name)

  /** Returns the function with an identifier in one of our catalogs. */
  def at(ident: Identifier): Option[UnboundFunction] =
    Option.when(isOurs(ident.namespace))(ident.name).flatMap(find)

  private def find(name: String): Option[UnboundFunction] = {
    val lower = name.toLowerCase(Locale.ROOT)
    all.find(_.name == lower)
  }

  private def isOurs(namespace: Array[String]): Boolean = namespace match {
    case Array() => true
    case Array(one) => one.equalsIgnoreCase(Namespace)
    case _ => false
  }

  /** A catalog with these functions. */
  trait InCatalog extends FunctionCatalog {

    /** Whether the catalog has a namespace; none of those of users has functions. */
    def namespaceExists(namespace: Array[String]): Boolean

    override def listFunctions(namespace: Array[String]): Array[Identifier] =
      if (isOurs(namespace)) all.map(function => Identifier.of(namespace, function.name)).toArray
      else if (namespaceExists(namespace)) Array.empty
      else throw new NoSuchNamespaceException(namespace)

    override def loadFunction(ident: Identifier): UnboundFunction =
      at(ident).getOrElse(throw new NoSuchFunctionException(ident))
  }
}
