package io.sparklance.spark.catalog

import org.apache.spark.sql.catalyst.analysis.{
  NamespaceAlreadyExistsException,
  NoSuchNamespaceException,
  NoSuchTableException,
  NonEmptyNamespaceException,
  TableAlreadyExistsException
}
import org.apache.spark.sql.connector.catalog.Identifier

import io.sparklance.{CatalogServerException, ServerError}

/** Refusals of a catalog's server as the exceptions that Spark has for them. */
private[spark] object ServerRefusals {

  def ofTable[A](catalog: String, ident: Identifier)(body: => A): A =
    try body
    catch {
      case e: CatalogServerException => throw (e.error match {
          case ServerError.TableNotFound => new NoSuchTableException(ident)
          case ServerError.TableAlreadyExists => new TableAlreadyExistsException(ident)
          case ServerError.NamespaceNotFound => new NoSuchNamespaceException(catalog +: ident.namespace)
          case _ => e
        })
    }

  def ofNamespace[A](catalog: String, namespace: Array[String])(body: => A): A =
    try body
    catch {
      case e: CatalogServerException => throw (e.error match {
          case ServerError.NamespaceNotFound => new NoSuchNamespaceException(catalog +: namespace)
          case ServerError.NamespaceAlreadyExists => new NamespaceAlreadyExistsException(namespace)
          case ServerError.NamespaceNotEmpty => new NonEmptyNamespaceException(namespace)
          case _ => e
        })
    }
}
