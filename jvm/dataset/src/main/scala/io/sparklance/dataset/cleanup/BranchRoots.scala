package io.sparklance.dataset.cleanup

import scala.collection.mutable

import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.refs.Refs

/** Roots of a table's branches, found by their manifests. */
private[dataset] object BranchRoots {

  /** Returns the roots of all branches but the main one, including unfinished ones. */
  def all(store: ObjectStore, refs: Refs): Vector[String] = {
    val roots = mutable.LinkedHashSet.empty[String]
    val tree = StorePath.join(refs.main, "tree")
    store.walk(tree) { entry =>
      val end = entry.name.lastIndexOf("/_versions/")
      if (end > 0) roots += StorePath.join(tree, entry.name.take(end))
    }
    roots.toVector
  }
}
