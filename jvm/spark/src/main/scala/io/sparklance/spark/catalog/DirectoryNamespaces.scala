package io.sparklance.spark.catalog

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{
  NamespaceAlreadyExistsException,
  NoSuchNamespaceException,
  NonEmptyNamespaceException
}
import org.apache.spark.sql.connector.catalog.NamespaceChange.{RemoveProperty, SetProperty}
import org.apache.spark.sql.connector.catalog.{NamespaceChange, SupportsNamespaces}

import io.sparklance.namespace.{TableDirectory, TableName}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Namespaces of a catalog whose tables are in a directory; none without a directory. */
private[spark] trait DirectoryNamespaces extends SupportsNamespaces {

  protected def directory: Option[TableDirectory]

  override def listNamespaces(): Array[Array[String]] = translating {
    listNamespaces(Array.empty)
  }

  override def listNamespaces(parent: Array[String]): Array[Array[String]] = translating {
    requireNamespace(parent)
    directory.fold(Array.empty[Array[String]])(_.namespaces(parent.toVector).map(parent :+ _).toArray)
  }

  /** The root namespace always exists. */
  override def namespaceExists(namespace: Array[String]): Boolean = translating {
    if (directory.isDefined) namespace.foreach(TableName.check)
    namespace.isEmpty || directory.exists(_.hasNamespace(namespace.toVector))
  }

  override def loadNamespaceMetadata(namespace: Array[String]): JMap[String, String] = translating {
    if (namespace.isEmpty) Map.empty[String, String].asJava
    else {
      requireNamespace(namespace)
      directory.flatMap(_.properties(namespace.toVector))
        .getOrElse(throw new NoSuchNamespaceException(name +: namespace)).asJava
    }
  }

  override def createNamespace(namespace: Array[String], metadata: JMap[String, String]): Unit = translating {
    if (namespaceExists(namespace)) throw new NamespaceAlreadyExistsException(namespace)
    requireNamespace(namespace.init)
    refuseLocation(metadata.containsKey(SupportsNamespaces.PROP_LOCATION))
    required.create(namespace.toVector, metadata.asScala.toMap)
  }

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = translating {
    requireNamespace(namespace)
    if (namespace.isEmpty) throw new UnsupportedLanceFeatureException("properties of a whole catalog")
    required.change(namespace.toVector)(changes.foldLeft(_)(changed))
  }

  private def changed(properties: Map[String, String], change: NamespaceChange): Map[String, String] =
    change match {
      case set: SetProperty =>
        refuseLocation(set.property == SupportsNamespaces.PROP_LOCATION)
        properties + (set.property -> set.value)
      case removed: RemoveProperty => properties - removed.property
      case other =>
        throw new UnsupportedLanceFeatureException(s"ALTER NAMESPACE with ${other.getClass.getSimpleName}")
    }

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = translating {
    requireNamespace(namespace)
    if (namespace.isEmpty)
      throw new LanceUsageException("A catalog cannot be dropped. Drop the namespaces and tables in it.")
    val path = namespace.toVector
    if (cascade) required.dropWhole(path)
    else if (!required.dropEmpty(path)) throw new NonEmptyNamespaceException(namespace)
    true
  }

  protected def requireNamespace(namespace: Array[String]): Unit =
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(name +: namespace)

  private def required: TableDirectory = directory.getOrElse(
    throw new LanceUsageException(
      s"The catalog '$name' has no directory for namespaces. Give it one: spark.sql.catalog.$name.root."
    )
  )

  private def refuseLocation(isAsked: Boolean): Unit = if (isAsked)
    throw new LanceUsageException(
      "A namespace of a directory has no LOCATION of its own: its tables lie in the directory of the catalog. Leave it out."
    )
}
