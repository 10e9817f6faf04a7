"""Searches for texts that are put together step by step, with the names of LanceDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sparklance._procedures import call
from sparklance.search.query import FullTextQuery, PhraseQuery
from sparklance.search.row_query import RowQuery

if TYPE_CHECKING:
    from sparklance.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True)
class TextQuery(RowQuery):
    """A search for the rows whose texts match a query best. They have the chosen columns and `_score`."""

    query: str | FullTextQuery
    text_columns: Sequence[str] | None = None
    most: int = 10
    is_phrase: bool = False

    def limit(self, limit: int) -> TextQuery:
        return replace(self, most=limit)

    def phrase_query(self, phrase_query: bool = True) -> TextQuery:
        """Whether the words are to follow one another."""
        return replace(self, is_phrase=phrase_query)

    def _search(self) -> Mapping[str, Any]:
        return {"full_text_query": self._phrase() if self.is_phrase else self._words(), "limit": self.most}

    def _words(self) -> Any:
        return self.query if self.text_columns is None else {"query": self.query, "columns": list(self.text_columns)}

    def _phrase(self) -> PhraseQuery:
        columns = self._indexed() if self.text_columns is None else self.text_columns
        if not isinstance(self.query, str) or len(columns) != 1:
            raise ValueError("A phrase is words in one column: give words, and the column as fts_columns.")
        return PhraseQuery(self.query, columns[0])

    def _indexed(self) -> list[str]:
        """The columns with a full-text index."""
        arguments = {"table": self.dataset.uri, "version": str(self.dataset.version)}
        found = call(self.dataset.spark, "indices", **arguments)
        return sorted({column for row in found if row.type == "Inverted" for column in row.columns})


def text_query(dataset: Snapshot, query: Any, columns: str | Sequence[str] | None, query_type: str) -> TextQuery:
    """A search for words, or by a query of `sparklance.query`."""
    if query_type == "vector" or not isinstance(query, str | FullTextQuery):
        wanted = (
            "a vector of numbers, or several" if query_type == "vector" else "words, or a query of sparklance.query"
        )
        raise TypeError(f"search with query_type={query_type!r} takes {wanted}, not {query!r}.")
    return TextQuery(dataset=dataset, query=query, text_columns=[columns] if isinstance(columns, str) else columns)
