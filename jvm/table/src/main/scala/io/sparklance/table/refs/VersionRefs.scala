package io.sparklance.table.refs

/** Names of versions of a branch: its tags, and the branches that begin in it, each with the version. */
final private[sparklance] case class VersionRefs(
    tags: Vector[(String, Long)],
    branches: Vector[(String, Long)]
) {
  def versions: Set[Long] = (tags ++ branches).map(_._2).toSet

  /** Returns the names of some versions. */
  def of(isWanted: Long => Boolean): VersionRefs =
    VersionRefs(tags.filter(ref => isWanted(ref._2)), branches.filter(ref => isWanted(ref._2)))
}

private[sparklance] object VersionRefs {

  /** @param counts whether a tag counts */
  def of(refs: Refs, counts: Tag => Boolean = _ => true): VersionRefs = VersionRefs(
    refs.tags.all.collect {
      case (name, tag) if tag.branch == refs.branch && counts(tag) => name -> tag.version
    },
    refs.branches.all.collect {
      case (name, branch) if branch.parentBranch == refs.branch => name -> branch.parentVersion
    }
  )
}
