package io.sparklance

/** Finds packages that refer to each other in a circle. */
object PackageCycles {

  /** The references inside cycles, one line each; empty if there is no cycle.
    *
    * @param files
    *   of one or more source roots
    */
  def of(files: Seq[PackageReferences]): Seq[String] = {
    val packages = files.map(_.home).toSet
    val edges = for {
      file <- files
      target <- file.targets
      to = PackageReferences.packageOf(target)
      if to != file.home && packages(to)
    } yield (file.home, to, s"${file.home} → $to: ${file.file} refers to $target")
    val reached = reachable(packages, edges.map { case (from, to, _) => from -> to }.groupMap(_._1)(_._2))
    edges.collect { case (from, to, line) if reached(to)(from) => line }.distinct.sorted
  }

  /** The packages to which a way leads from each. */
  private def reachable(
      packages: Set[String],
      next: Map[String, Seq[String]]
  ): Map[String, Set[String]] =
    packages.map { start =>
      var (found, open) = (Set.empty[String], Set(start))
      while (open.nonEmpty) {
        open = open.flatMap(next.getOrElse(_, Nil)).diff(found)
        found ++= open
      }
      start -> found
    }.toMap
}
