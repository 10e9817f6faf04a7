"""Full-text queries, with the names of pylance's `lance.query` (docs/text-search.md).

>>> from sparklance.query import MatchQuery, Occur, BooleanQuery, PhraseQuery
>>> BooleanQuery([(Occur.MUST, MatchQuery("fast reads", "body")), (Occur.MUST_NOT, PhraseQuery("no index", "body"))])
BooleanQuery([(Occur.MUST, MatchQuery('fast reads', 'body')), (Occur.MUST_NOT, PhraseQuery('no index', 'body'))])
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from enum import Enum
from typing import Any


class FullTextQueryType(Enum):
    """The kinds of queries."""

    MATCH = "match"
    MATCH_PHRASE = "match_phrase"
    BOOST = "boost"
    MULTI_MATCH = "multi_match"
    BOOLEAN = "boolean"


class FullTextOperator(Enum):
    """Whether a text needs all words of a query, or any of them."""

    AND = "AND"
    OR = "OR"


class Occur(Enum):
    """The part of a clause in a `BooleanQuery`."""

    SHOULD = "SHOULD"
    MUST = "MUST"
    MUST_NOT = "MUST_NOT"


class FullTextQuery(abc.ABC):
    """A query for texts. `a & b` is for rows that match both, `a | b` for rows that match any of them."""

    @abc.abstractmethod
    def query_type(self) -> FullTextQueryType:
        """Returns the kind of the query."""

    @abc.abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Returns the query as option `fullTextQuery` takes it."""

    def __and__(self, other: FullTextQuery) -> FullTextQuery:
        return BooleanQuery([(Occur.MUST, self), (Occur.MUST, other)])

    def __or__(self, other: FullTextQuery) -> FullTextQuery:
        return BooleanQuery([(Occur.SHOULD, self), (Occur.SHOULD, other)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FullTextQuery) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(repr(self.to_dict()))


class MatchQuery(FullTextQuery):
    """Texts with words of the query.

    `boost` multiplies the scores. `fuzziness` is the number of letters that may differ, behind the first
    `prefix_length` ones; up to `max_expansions` words stand for those of the query. `fuzziness=None` counts as 0, as in
    pylance 14.
    """

    def __init__(
        self,
        query: str,
        column: str,
        *,
        boost: float = 1.0,
        fuzziness: int | None = 0,
        max_expansions: int = 50,
        operator: FullTextOperator = FullTextOperator.OR,
        prefix_length: int = 0,
    ) -> None:
        self.query, self.column, self.boost, self.fuzziness = query, column, boost, fuzziness
        self.max_expansions, self.operator, self.prefix_length = max_expansions, operator, prefix_length

    def query_type(self) -> FullTextQueryType:
        return FullTextQueryType.MATCH

    def to_dict(self) -> dict[str, Any]:
        return {
            "match": {
                "column": self.column,
                "terms": self.query,
                "boost": self.boost,
                "fuzziness": self.fuzziness,
                "max_expansions": self.max_expansions,
                "operator": FullTextOperator(self.operator).value,
                "prefix_length": self.prefix_length,
            }
        }

    def __repr__(self) -> str:
        return f"MatchQuery({self.query!r}, {self.column!r})"


class PhraseQuery(FullTextQuery):
    """Texts with the words of the query one after the other, with up to `slop` others between two of them.

    The index must have the positions of words (`with_position=True`).
    """

    def __init__(self, query: str, column: str, *, slop: int = 0) -> None:
        self.query, self.column, self.slop = query, column, slop

    def query_type(self) -> FullTextQueryType:
        return FullTextQueryType.MATCH_PHRASE

    def to_dict(self) -> dict[str, Any]:
        return {"phrase": {"column": self.column, "terms": self.query, "slop": self.slop}}

    def __repr__(self) -> str:
        return f"PhraseQuery({self.query!r}, {self.column!r})"


class BoostQuery(FullTextQuery):
    """Rows of one query. Where another one matches, too, its score times `negative_boost` is taken off."""

    def __init__(self, positive: FullTextQuery, negative: FullTextQuery, *, negative_boost: float = 0.5) -> None:
        self.positive, self.negative, self.negative_boost = positive, negative, negative_boost

    def query_type(self) -> FullTextQueryType:
        return FullTextQueryType.BOOST

    def to_dict(self) -> dict[str, Any]:
        parts = {"positive": self.positive.to_dict(), "negative": self.negative.to_dict()}
        return {"boost": {**parts, "negative_boost": self.negative_boost}}

    def __repr__(self) -> str:
        return f"BoostQuery({self.positive!r}, {self.negative!r})"


class MultiMatchQuery(FullTextQuery):
    """Rows with words of the query in any of several columns. The best score of the columns counts.

    `boosts` are factors of the columns' scores, of shape (columns,).
    """

    def __init__(
        self,
        query: str,
        columns: Sequence[str],
        *,
        boosts: Sequence[float] | None = None,
        operator: FullTextOperator = FullTextOperator.OR,
    ) -> None:
        if boosts is not None and len(boosts) != len(columns):
            raise ValueError(f"There are {len(boosts)} boosts for {len(columns)} columns. Give one for each column.")
        self.query, self.columns, self.boosts, self.operator = query, list(columns), boosts, operator

    def query_type(self) -> FullTextQueryType:
        return FullTextQueryType.MULTI_MATCH

    def to_dict(self) -> dict[str, Any]:
        boosts = self.boosts if self.boosts is not None else [1.0] * len(self.columns)
        each = [
            MatchQuery(self.query, column, boost=boost, operator=self.operator).to_dict()["match"]
            for column, boost in zip(self.columns, boosts, strict=True)
        ]
        return {"multi_match": {"match_queries": each}}

    def __repr__(self) -> str:
        return f"MultiMatchQuery({self.query!r}, {self.columns!r})"


class BooleanQuery(FullTextQuery):
    """Rows that match all `MUST` clauses and no `MUST_NOT` clause; without the former, any `SHOULD` clause.

    Scores are sums over the clauses.
    """

    def __init__(self, queries: Sequence[tuple[Occur, FullTextQuery]]) -> None:
        self.queries = list(queries)

    def query_type(self) -> FullTextQueryType:
        return FullTextQueryType.BOOLEAN

    def to_dict(self) -> dict[str, Any]:
        clauses: dict[str, list[Any]] = {occur.value.lower(): [] for occur in Occur}
        for occur, query in self.queries:
            clauses[Occur(occur).value.lower()].append(query.to_dict())
        return {"boolean": clauses}

    def __repr__(self) -> str:
        return f"BooleanQuery([{', '.join(f'({occur}, {query!r})' for occur, query in self.queries)}])"
