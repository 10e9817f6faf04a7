package io.sparklance.table.refs

import io.sparklance.LanceFormatException
import io.sparklance.io.{ObjectStore, StorePath}

/** The tags and branches of a table, found from the root of one of its branches.
  *
  * @param root
  *   of that branch
  * @param branch
  *   its name; none for the main branch
  */
final private[sparklance] class Refs(store: ObjectStore, root: String, val branch: Option[String]) {

  /** The root of the main branch. */
  val main: String = branch.fold(root) { name =>
    val end = StorePath.join("", "tree", name)
    if (!root.endsWith(end))
      throw new LanceFormatException(
        s"the table at $root is marked as the branch '$name', but it is not in the directory tree/$name"
      )
    root.stripSuffix(end)
  }

  val tags = new Tags(store, main)
  val branches = new Branches(store, main)
}
