package io.sparklance.dataset.validation

import io.sparklance.dataset.Dataset
import io.sparklance.table.{FeatureFlags, Manifest}

/** Checks the manifest: fragments, flags, schema, time and file version. */
private[validation] object ManifestCheck {

  def apply(dataset: Dataset): Vector[Problem] = {
    val manifest = dataset.manifest
    Problem.found()(order(manifest) ++ highest(manifest) ++ flags(manifest) ++ {
      val _ = (dataset.schema, dataset.fileVersion, dataset.timestamp)
      Vector.empty
    })
  }

  private def order(manifest: Manifest): Vector[Problem] = {
    val ids = manifest.fragments.map(_.id)
    ids.zip(ids.drop(1)).flatMap {
      case (a, b) if a == b => Some(Problem(s"two fragments have the id $a", Some(a)))
      case (a, b) if a > b => Some(Problem(s"fragment $b follows fragment $a", Some(b)))
      case _ => None
    }
  }

  private def highest(manifest: Manifest): Vector[Problem] = for {
    recorded <- manifest.message.maxFragmentId.map(Integer.toUnsignedLong).toVector
    fragment <- manifest.fragments
    if fragment.id > recorded
  } yield Problem(s"its id is above $recorded, the highest id recorded", Some(fragment.id))

  private def flags(manifest: Manifest): Vector[Problem] = {
    val (now, due) = (manifest.message, FeatureFlags.recomputed(manifest.message))
    Problem.when((due.readerFeatureFlags & ~now.readerFeatureFlags) != 0)(
      Problem("the flags for readers lack features that the table uses")
    )
  }
}
