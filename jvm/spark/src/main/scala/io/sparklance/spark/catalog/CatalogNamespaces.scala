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

import io.sparklance.namespace.Namespaces
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Namespaces of a catalog; none without a directory or a server.
  *
  * After `USE lake`, Spark adds the default namespace to names, and parses it. It cannot parse an empty one,
  * so the root has the name `root`, unless the catalog has a namespace of that name. (`default` would not do:
  * `spark.catalog.listTables()` takes that for the database of `spark_catalog`.)
  */
private[spark] trait CatalogNamespaces extends SupportsNamespaces {

  protected def tables: Option[CatalogTables]

  private def names: Option[Namespaces] = tables.map(_.names)

  override def defaultNamespace(): Array[String] = Array(CatalogNamespaces.Root)

  /** Returns the namespace that has the tables: no namespace if `root` stands for it. */
  protected def placed(namespace: Array[String]): Array[String] =
    if (isRoot(namespace)) Array.empty else namespace

  private def isRoot(namespace: Array[String]): Boolean = namespace match {
    case Array() => true
    case Array(CatalogNamespaces.Root) => !names.exists(_.hasNamespace(namespace.toVector))
    case _ => false
  }

  override def listNamespaces(): Array[Array[String]] = translating {
    listNamespaces(Array.empty)
  }

  override def listNamespaces(parent: Array[String]): Array[Array[String]] = translating {
    requireNamespace(parent)
    if (parent.nonEmpty && isRoot(parent)) Array.empty[Array[String]]
    else names.fold(Array.empty[Array[String]])(_.namespaces(parent.toVector).map(parent :+ _).toArray)
  }

  /** The root namespace always exists, by both its names. */
  override def namespaceExists(namespace: Array[String]): Boolean = translating {
    val known = names
    known.foreach(in => namespace.foreach(in.check))
    namespace.isEmpty || namespace.sameElements(defaultNamespace()) ||
    known.exists(_.hasNamespace(namespace.toVector))
  }

  override def loadNamespaceMetadata(namespace: Array[String]): JMap[String, String] = translating {
    if (isRoot(namespace)) Map.empty[String, String].asJava
    else {
      requireNamespace(namespace)
      names.flatMap(_.properties(namespace.toVector))
        .getOrElse(throw new NoSuchNamespaceException(name +: namespace)).asJava
    }
  }

  override def createNamespace(namespace: Array[String], metadata: JMap[String, String]): Unit = translating {
    if (namespaceExists(namespace)) throw new NamespaceAlreadyExistsException(namespace)
    requireNamespace(namespace.init)
    if (namespace.length > 1 && isRoot(namespace.init))
      throw new NoSuchNamespaceException(name +: namespace.init)
    refuseLocation(metadata.containsKey(SupportsNamespaces.PROP_LOCATION))
    ServerRefusals.ofNamespace(name, namespace)(required.create(namespace.toVector, metadata.asScala.toMap))
  }

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = translating {
    requireNamespace(namespace)
    if (isRoot(namespace)) throw new UnsupportedLanceFeatureException("properties of a whole catalog")
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
    if (isRoot(namespace)) throw new LanceUsageException(
      s"'$name.${CatalogNamespaces.Root}' stands for the tables without a namespace, and cannot be dropped. Drop the tables in it."
    )
    val path = namespace.toVector
    ServerRefusals.ofNamespace(name, namespace) {
      if (cascade) required.dropWhole(path)
      else if (!required.dropEmpty(path)) throw new NonEmptyNamespaceException(namespace)
    }
    true
  }

  protected def requireNamespace(namespace: Array[String]): Unit =
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(name +: namespace)

  private def required: Namespaces = names.getOrElse(
    throw new LanceUsageException(
      s"The catalog '$name' has no directory for namespaces. Give it one: spark.sql.catalog.$name.root, or a server: " +
        s"spark.sql.catalog.$name.uri."
    )
  )

  private def refuseLocation(isAsked: Boolean): Unit = if (isAsked)
    throw new LanceUsageException(
      "A namespace has no LOCATION of its own: the catalog chooses where its tables lie. Leave it out."
    )
}

private[spark] object CatalogNamespaces {

  /** Name of the root namespace. */
  val Root = "root"
}
