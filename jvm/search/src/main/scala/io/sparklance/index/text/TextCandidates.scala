package io.sparklance.index.text

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.schema.Field
import io.sparklance.text.TextQuery

/** Rows among which are all those whose text matches, by the column's index. */
private[sparklance] object TextCandidates {

  /** Greatest number of rows that are worth finding. */
  final private val MostRows = 1 << 20

  /** Returns the rows that an index finds, and all that it does not cover. None if no index fits, because it
    * splits texts in another way than [[TextMatcher.of]] with the same arguments.
    */
  def of(
      snapshot: Snapshot,
      field: Field,
      words: String,
      settings: String,
      isPhrase: Boolean
  ): Option[RowRanges] = {
    val segments = TextSegment.of(snapshot, Vector(field.id))
    lazy val indices = segments.map(TextIndex.open(snapshot.store, _))
    val wanted = TextMatcher.settings(settings, isPhrase)
    val fits = segments.nonEmpty && indices.forall { index =>
      index.parameters.analysis == wanted.analysis && (!isPhrase || index.parameters.withPosition)
    }
    if (!fits) None
    else {
      val query = wanted.phraseSlop.fold[TextQuery](TextQuery.Match(field.name, words, all = wanted.all))(
        TextQuery.Phrase(field.name, words, _)
      )
      val options = TextSearchOptions(limit = None, isFast = true)
      val found = new TextSearch(snapshot, options, TextSearch.local(snapshot)).find(query)
      Option.when(found.size <= MostRows)(
        RowRanges.ofRows(found.addresses).union(uncovered(snapshot, segments))
      )
    }
  }

  private def uncovered(snapshot: Snapshot, segments: Vector[TextSegment]): RowRanges = RowRanges.of(
    snapshot.fragments.filterNot(f => segments.exists(_.fragments.contains(f.id))).map(fragment =>
      RowAddress.ofFragment(fragment.id, snapshot.physicalRows(fragment))
    )
  )
}
