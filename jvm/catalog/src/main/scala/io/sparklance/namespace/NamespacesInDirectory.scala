package io.sparklance.namespace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.namespace.NamespaceEntry.{Foreign, Namespace, Table}
import io.sparklance.{LanceFormatException, LanceUsageException, Location}

/** The namespaces of a directory, which only `__manifest` records. */
private[namespace] trait NamespacesInDirectory extends Namespaces {
  def root: String
  protected def manifest: NamespaceManifest

  /** Returns the names directly in the root. Refuses a root that is a file. */
  protected def directories: Vector[String]

  def check(part: String): Unit = TableName.check(part)
  def isValid(table: TableName): Boolean = table.isValid(EntryRows.Delimiter.toString)

  def namespaces(parent: Vector[String]): Vector[String] =
    manifest.entries.collect { case n: Namespace if n.path.init == parent => n.path.last }.distinct.sorted

  def hasNamespace(namespace: Vector[String]): Boolean =
    namespace.isEmpty || manifest.entries.exists(isNamespace(namespace))

  def properties(namespace: Vector[String]): Option[Map[String, String]] =
    if (namespace.isEmpty) Some(Map.empty)
    else
      entryOf(namespace, manifest.entries).map { entry =>
        located(PropertiesJson.parse(entry.metadata, EntryRows.id(namespace)))
      }

  def create(namespace: Vector[String], properties: Map[String, String]): Unit = {
    namespace.foreach(check)
    val _ = directories
    manifest.change { entries =>
      requireNamespace(namespace.init, entries)
      if (entries.exists(_.path == namespace)) throw taken(namespace)
      NamespaceEdit(added = Vector(Namespace(namespace, PropertiesJson.text(properties))))
    }
  }

  def change(namespace: Vector[String])(edit: Map[String, String] => Map[String, String]): Unit =
    manifest.change { entries =>
      val before = entryOf(namespace, entries).getOrElse(throw noNamespace(namespace))
      val after = located(PropertiesJson.changed(before.metadata, EntryRows.id(namespace))(edit))
      NamespaceEdit(changed = Map(before -> before.copy(metadata = after)))
    }

  def dropEmpty(namespace: Vector[String]): Boolean = {
    var isEmpty = true
    manifest.change { entries =>
      isEmpty = !entries.exists(isIn(namespace))
      if (isEmpty) NamespaceEdit(removed = entries.filter(isNamespace(namespace)).toSet)
      else NamespaceEdit()
    }
    isEmpty
  }

  private def entryOf(namespace: Vector[String], entries: Vector[NamespaceEntry]): Option[Namespace] =
    entries.collectFirst { case n: Namespace if n.path == namespace => n }

  protected def isIn(namespace: Vector[String])(entry: NamespaceEntry): Boolean =
    entry.path.length > namespace.length && entry.path.startsWith(namespace)

  protected def isNamespace(path: Vector[String])(entry: NamespaceEntry): Boolean = entry match {
    case namespace: Namespace => namespace.path == path
    case _: Table | _: Foreign => false
  }

  protected def requireNamespace(namespace: Vector[String], entries: Vector[NamespaceEntry]): Unit =
    if (namespace.nonEmpty && !entries.exists(isNamespace(namespace))) throw noNamespace(namespace)

  /** Adds the location of `__manifest` to errors about an entry. */
  private def located[A](body: => A): A =
    LanceFormatException.locating(Location(file = Some(manifest.root)))(body)

  protected def taken(path: Vector[String]) = new LanceUsageException(
    s"In $root there is a table or namespace '${path.mkString(".")}' already. Choose another name, or drop it first."
  )

  private def noNamespace(namespace: Vector[String]) = new LanceUsageException(
    s"In $root there is no namespace '${namespace.mkString(".")}'. Create it first, or choose an " +
      "existing one."
  )
}

/** Properties as the JSON object in which they are stored. Values are strings; other values, written by other
  * software, are shown as JSON and stored unchanged.
  */
private[namespace] object PropertiesJson {
  private val json = new ObjectMapper

  /** Returns the stored form; None if there are no properties. */
  def text(properties: Map[String, String]): Option[String] =
    Option.when(properties.nonEmpty) {
      val node = json.createObjectNode()
      properties.toVector.sorted.foreach { case (key, value) => node.put(key, value) }
      node.toString
    }

  /** @param owner the object with these properties */
  def parse(text: Option[String], owner: String): Map[String, String] =
    text.fold(Map.empty[String, String])(t => shown(node(t, owner)))

  /** Returns the stored form after an edit. */
  def changed(text: Option[String], owner: String)(edit: Map[String, String] => Map[String, String])
      : Option[String] = {
    val kept = text.fold(json.createObjectNode())(node(_, owner))
    val before = shown(kept)
    val after = edit(before)
    (before.keySet -- after.keySet).foreach(key => kept.remove(key))
    after.toVector.sorted.foreach { case (key, value) =>
      if (!before.get(key).contains(value)) kept.put(key, value)
    }
    Option.when(!kept.isEmpty)(kept.toString)
  }

  private def shown(node: ObjectNode): Map[String, String] =
    node.fields.asScala.map(field => field.getKey -> shown(field.getValue)).toMap

  private def shown(value: JsonNode): String = if (value.isTextual) value.textValue else value.toString

  private def node(text: String, owner: String): ObjectNode =
    try
      json.readTree(text) match {
        case node: ObjectNode => node
        case _ => throw bad(owner, "no JSON object")
      }
    catch { case e: JsonProcessingException => throw bad(owner, s"no JSON: ${e.getOriginalMessage}", e) }

  private def bad(owner: String, what: String, cause: Throwable = null) =
    new LanceFormatException(s"the metadata of '$owner' are $what", cause = cause)
}
