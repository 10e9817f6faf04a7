package io.sparklance.table.refs

import java.time.Instant

import com.fasterxml.jackson.databind.node.ObjectNode

/** A branch: a history that begins at a version of another branch. Stored in
  * `_refs/branches/<name, / as %2F>.json` of the main branch:
  * {{{
  *   { "parentBranch": null, "identifier": { "version_mapping": [[3, "e21d…"]] }, "parentVersion": 3,
  *     "createAt": 1795328656, "manifestSize": 578, "metadata": {} }
  * }}}
  * Its table is in `tree/<name>`.
  *
  * @param parentBranch
  *   None for the main branch
  * @param identifier
  *   one entry for each branch from the main branch to this one: the version of its parent at which it
  *   begins, and a unique id. Old branches have none.
  */
final private[sparklance] case class Branch(
    parentBranch: Option[String],
    identifier: Vector[Branch.Step],
    parentVersion: Long,
    createdAt: Instant,
    manifestSize: Long,
    metadata: Map[String, String] = Map.empty
) {

  /** Whether this branch, or one between the two, begins at a version of another. */
  def beginsIn(name: String, other: Branch): Boolean =
    if (other.identifier.isEmpty) parentBranch.contains(name)
    else identifier.length > other.identifier.length && identifier.startsWith(other.identifier)
}

private[sparklance] object Branch {
  final case class Step(version: Long, uuid: String)
}

private[refs] object BranchCodec extends RefCodec[Branch] {

  def encode(branch: Branch, into: ObjectNode): Unit = {
    into.put("parentBranch", branch.parentBranch.orNull)
    val steps = into.putObject("identifier").putArray("version_mapping")
    branch.identifier.foreach(step => steps.addArray().add(step.version).add(step.uuid))
    into
      .put("parentVersion", branch.parentVersion)
      .put("createAt", branch.createdAt.getEpochSecond)
      .put("manifestSize", branch.manifestSize)
    val metadata = into.putObject("metadata")
    branch.metadata.foreach { case (key, value) => metadata.put(key, value) }
  }

  def decode(from: JsonObject): Branch = Branch(
    from.text("parentBranch"),
    identifier(from),
    from.number("parentVersion"),
    Instant.ofEpochSecond(math.min(from.number("createAt"), Instant.MAX.getEpochSecond)),
    from.number("manifestSize"),
    from.texts("metadata")
  )

  private def identifier(from: JsonObject): Vector[Branch.Step] =
    from.present("identifier").fold(Vector.empty[Branch.Step]) { node =>
      val steps = Vector.newBuilder[Branch.Step]
      node.path("version_mapping").forEach { step =>
        if (!step.path(0).canConvertToLong || !step.path(1).isTextual)
          throw from.wrong("identifier", "a list of versions and uuids")
        steps += Branch.Step(step.get(0).longValue, step.get(1).textValue)
      }
      steps.result()
    }
}
