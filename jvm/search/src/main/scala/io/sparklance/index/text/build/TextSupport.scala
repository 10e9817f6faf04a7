package io.sparklance.index.text.build

import io.sparklance.text.Language

/** Decides which texts can be indexed. */
private[sparklance] object TextSupport {

  /** Languages whose stems were compared with those of the reference on a few hundred words only. */
  private val Unproven: Set[Language] = Set(Language.Arabic, Language.Tamil)

  /** Returns why an index cannot be built, if so. */
  def refusal(form: TextForm): Option[String] =
    form.parameters.analysis.stem.filter(Unproven).map { language =>
      s"Stems of $language words may differ from those of other software, which would not find all rows of the index. " +
        "Build it with stem => false, or with that software."
    }
}
