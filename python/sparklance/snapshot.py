"""A table at one of its versions: what it is, and its rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from sparklance import proto
from sparklance._extras import require
from sparklance._paths import PathOrName, path_or_name
from sparklance._procedures import call
from sparklance._statements import running
from sparklance.errors import lance_errors
from sparklance.reference import Reference, reference_text
from sparklance.results import arrow_table
from sparklance.rows import Columns, Filter, limited, rows_at, selected
from sparklance.search.options import TextSearch, hybrid_option, is_batch, search_option, text_option, with_added
from sparklance.search.query import FullTextQuery
from sparklance.search.text_query import TextQuery, text_query
from sparklance.search.vector_query import Metric, VectorQuery, nearest_join, vector_query

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


class Snapshot:
    """The reading part of `LanceDataset`."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """Names the way to open a table to those who give a path alone, as pylance takes it."""
        if "uri" in options or (arguments and isinstance(arguments[0], str | os.PathLike)):
            raise TypeError(f"{cls.__name__} needs the Spark session before the path: {cls.__name__}(spark, path).")
        return super().__new__(cls)

    def __init__(
        self,
        spark: SparkSession,
        path_or_table: PathOrName,
        version: Reference | None = None,
        *,
        asof: datetime | None = None,
    ) -> None:
        """Opens a table by its path, which has a slash, or its name: the latest version, or the one that is named.

        `version` is a number, a tag, a branch, or a pair of branch and number; `asof` instead of it opens what was the
        latest version then.
        """
        self.spark = spark
        table = path_or_name(path_or_table)
        self._name = None if "/" in table else table
        self._open(table, version, asof)

    def _open(self, table: str, version: Reference | None = None, asof: datetime | None = None) -> None:
        (row,) = call(self.spark, "manifest", table=table, version=reference_text(version), as_of=asof)
        self._version = int(row.version)
        self._uri = str(row.location)
        self._branch: str | None = row.branch
        self._timestamp: datetime = row.timestamp
        self._manifest: Any = proto.Manifest.FromString(bytes(row.manifest))

    def checkout_latest(self) -> None:
        """Moves to the latest version."""
        self._open(self._uri)

    # ---- what it is

    @property
    def uri(self) -> str:
        """The location of the table, or of its branch."""
        return self._uri

    @property
    def version(self) -> int:
        """The number of the version."""
        return self._version

    @property
    def timestamp(self) -> datetime:
        """When the version was committed."""
        return self._timestamp

    @property
    def branch(self) -> str | None:
        """The branch that the version is of; None for the main one."""
        return self._branch

    @property
    def latest_version(self) -> int:
        """The number of the latest version by now."""
        return int(call(self.spark, "manifest", table=self._uri)[0].version)

    @property
    def manifest(self) -> Any:
        """All that describes the version: a message `lance.table.Manifest`."""
        return self._manifest

    @property
    def schema(self) -> StructType:
        """The columns, with Spark types."""
        return self.to_df().schema

    @property
    def lance_schema(self) -> list[Any]:
        """The fields of the Lance schema, parents first: messages `lance.file.Field`."""
        return list(self._manifest.fields)

    @property
    def fragments(self) -> list[Any]:
        """Returns the fragments: messages `lance.table.DataFragment`."""
        return list(self._manifest.fragments)

    @property
    def data_storage_version(self) -> str:
        """The version of the files' format."""
        return str(self._manifest.data_format.version)

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep their ids when they are updated or moved."""
        return bool(self._manifest.reader_feature_flags & 2)

    def __repr__(self) -> str:
        return f"LanceDataset({self._name or self._uri!r}, version {self._version})"

    # ---- its rows

    def to_df(
        self,
        columns: Columns | None = None,
        filter: Filter | None = None,
        limit: int | None = None,
        offset: int | None = None,
        *,
        with_row_id: bool = False,
        with_row_address: bool = False,
        nearest: Mapping[str, Any] | None = None,
        full_text_query: TextSearch | None = None,
        prefilter: bool = False,
        fast_search: bool = False,
        **options: Any,
    ) -> DataFrame:
        """The rows, or those whose vectors are nearest to a query or whose texts match it.

        `columns` are names, or new names with SQL expressions; `filter` is a condition in SQL or a `Column`. `offset`
        rows that pass the filter are skipped, and at most `limit` kept. `_rowid` and `_rowaddr` come last. The options
        are those of any read (docs/options.md).

        `nearest` is a search with pylance's keys (docs/vector-search.md). With `prefilter` the filter, then in SQL,
        says among which rows to search. Otherwise it applies to the rows that are found.

        `full_text_query` is a search for texts: words, a query of `sparklance.query`, or a dict with `query` and
        `columns` (docs/text-search.md). The columns with a full-text index are searched if none are named. A list of
        queries is a batch: rows begin with `query_index`.

        >>> vectors = spark.range(3).selectExpr("id", "array(0F, CAST(id AS FLOAT)) AS v")
        >>> ds = LanceDataset.create(spark, vectors, path + "/v", **{"v.arrow.fixed-size-list.size": "2"})
        >>> found = ds.to_df(["id"], nearest={"column": "v", "q": [0.0, 2.0], "k": 2})
        >>> found.toArrow()["id"].to_pylist()
        [2, 1]
        """
        metadata = [name for name, wanted in {"_rowid": with_row_id, "_rowaddr": with_row_address}.items() if wanted]
        if nearest is None and full_text_query is None:
            if prefilter or fast_search:
                raise ValueError("prefilter and fast_search belong to a search: give nearest or full_text_query, too.")
            return limited(selected(self._read(options), columns, filter, metadata), limit, offset)
        if nearest is not None and full_text_query is not None:
            raise ValueError("nearest and full_text_query are two searches: give one of them, or use hybrid_search.")
        if nearest is not None:
            search = search_option(nearest, filter, prefilter, fast_search)
        elif full_text_query is not None:
            most = None if limit is None else limit + (offset or 0)
            search = text_option(full_text_query, filter, prefilter, fast_search, most)
            if is_batch(full_text_query):
                if offset:
                    raise ValueError("offset does not go with several queries: leave it out.")
                limit = None
        found = self._load({**options, **search})
        if (
            offset
            and nearest is not None
            and found.columns[0] == "query_index"
            and "query_index" not in self.schema.names
        ):
            raise ValueError("offset does not go with several queries: leave it out.")
        chosen = with_added(columns, found.columns)
        return limited(selected(found, chosen, None if prefilter else filter, metadata), limit, offset)

    def hybrid_search(
        self,
        vector: Any,
        text: TextSearch,
        k: int = 10,
        *,
        columns: Columns | None = None,
        vector_column: str | None = None,
        text_columns: Sequence[str] | None = None,
        filter: str | None = None,
        rrf_k: float | None = None,
        alpha: float | None = None,
        candidates: int | None = None,
        fast_search: bool = False,
        **nearest: Any,
    ) -> DataFrame:
        """The `k` best rows of a search for a vector and one for texts (docs/hybrid-search.md).

        They have `_distance`, `_score` and `_relevance_score`: by reciprocal rank fusion, or, with `alpha`, from 0 for
        the text alone to 1 for the vector alone. The vector has the shape (dimension,). Each search finds `candidates`
        rows, by default 4 times `k`. Further parameters are those of `nearest`, such as `metric` and `nprobes`.

        >>> rows = spark.createDataFrame([(1, "red fox", [0.0, 1.0]), (2, "blue sky", [1.0, 0.0])],
        ...                              "id INT, body STRING, v ARRAY<FLOAT>")
        >>> ds = LanceDataset.create(spark, rows, path + "/h", **{"v.arrow.fixed-size-list.size": "2"})
        >>> found = ds.hybrid_search([1.0, 0.0], "blue", k=1, text_columns=["body"], columns=["id"])
        >>> found.select("id", "_distance").collect()
        [Row(id=2, _distance=0.0)]
        """
        near = {"column": vector_column, "q": vector, **nearest}
        words = {"query": text, "columns": text_columns} if text_columns is not None else text
        search = hybrid_option(near, words, filter, fast_search, k=k, rrf_k=rrf_k, alpha=alpha, candidates=candidates)
        found = self._load(search)
        return selected(found, with_added(columns, found.columns), None, [])

    def _read(self, options: Mapping[str, Any]) -> DataFrame:
        with lance_errors():
            if self._name and not self._branch:
                return self.spark.read.options(**options, versionAsOf=self._version).table(self._name)
        return self._load(options)

    def _load(self, options: Mapping[str, Any]) -> DataFrame:
        with lance_errors():
            return self.spark.read.format("lance").options(**options, version=self._version).load(self._uri)

    @overload
    def search(
        self,
        query: str | FullTextQuery,
        vector_column_name: str | None = None,
        query_type: str = "auto",
        *,
        fts_columns: str | Sequence[str] | None = None,
    ) -> TextQuery: ...

    @overload
    def search(self, query: Any, vector_column_name: str | None = None, query_type: str = "auto") -> VectorQuery: ...

    def search(
        self,
        query: Any,
        vector_column_name: str | None = None,
        query_type: str = "auto",
        *,
        fts_columns: str | Sequence[str] | None = None,
    ) -> VectorQuery | TextQuery:
        """A search for the rows nearest to a vector, or whose texts match words, with LanceDB's names.

        `query` is a vector of shape (dimension,), or several of shape (n, dimension); or it is words, or a query of
        `sparklance.query`. The column of vectors may be left out if the table has one. The columns of texts may be left
        out if they have a full-text index (docs/vector-search.md#in-python, docs/text-search.md#in-python).

        >>> rows = spark.range(3).selectExpr("id", "array(0F, CAST(id AS FLOAT)) AS v", "concat('n', id) AS name")
        >>> ds = LanceDataset.create(spark, rows, path + "/v", **{"v.arrow.fixed-size-list.size": "2"})
        >>> ds.search([0.0, 2.0]).where("id < 2").limit(1).select(["id"]).to_list()
        [{'id': 1, '_distance': 1.0}]
        >>> found = ds.search("n1 n2", fts_columns="name").select(["id"]).to_list()
        >>> sorted(row["id"] for row in found)
        [1, 2]
        """
        if query_type not in ("auto", "vector", "fts"):
            raise ValueError(f"query_type is 'auto', 'vector' or 'fts', not {query_type!r}. See also hybrid_search.")
        if query_type == "fts" or isinstance(query, str | FullTextQuery):
            return text_query(self, query, fts_columns, query_type)
        return vector_query(self, query, vector_column_name)

    def nearest_join(
        self,
        queries: DataFrame,
        column: str | None = None,
        query_column: str | None = None,
        k: int = 10,
        *,
        how: Literal["inner", "left"] = "inner",
        filter: str | None = None,
        metric: Metric | None = None,
        suffix: str = "_right",
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        nprobes: int | None = None,
        minimum_nprobes: int | None = None,
        maximum_nprobes: int | None = None,
        refine_factor: int | None = None,
        ef: int | None = None,
        use_index: bool | None = None,
        fast_search: bool | None = None,
    ) -> DataFrame:
        """Each row of a DataFrame with the `k` rows of the table whose vectors are nearest to its own.

        `query_column` has the vectors to search for, by default the column named like `column`. The result has the
        columns of the DataFrame, those of the table, and `_distance`; columns of the table that have the name of one of
        the DataFrame get the suffix. With `how="left"` rows remain for which nothing is found
        (docs/vector-joins.md).

        >>> vectors = spark.range(3).selectExpr("id", "array(0F, CAST(id AS FLOAT)) AS v")
        >>> ds = LanceDataset.create(spark, vectors, path + "/v", **{"v.arrow.fixed-size-list.size": "2"})
        >>> joined = ds.nearest_join(vectors.where("id = 2"), k=2)
        >>> joined.select("id", "id_right", "_distance").collect()
        [Row(id=2, id_right=2, _distance=0.0), Row(id=2, id_right=1, _distance=1.0)]
        """
        arguments = {
            "query_column": query_column,
            "k": k,
            "filter": filter,
            "metric": metric,
            "suffix": suffix,
            "lower_bound": lower_bound,
            "upper_bound": upper_bound,
            "nprobes": nprobes,
            "minimum_nprobes": minimum_nprobes,
            "maximum_nprobes": maximum_nprobes,
            "refine_factor": refine_factor,
            "ef": ef,
            "use_index": use_index,
            "fast_search": fast_search,
        }
        return nearest_join(self, queries, column, how, arguments)

    def to_arrow(self, columns: Columns | None = None, filter: Filter | None = None, **more: Any) -> pa.Table:
        """The rows as an Arrow table, here in the driver. Takes what `to_df` takes.

        Fields that are NOT NULL within a nullable struct are nullable here. PySpark's own `toArrow` and `toPandas`
        fail on a NULL of such a struct.

        >>> LanceDataset(spark, path).to_arrow(columns={"double": "id * 2"})["double"].to_pylist()
        [0, 2, 4]
        """
        require("arrow", "pyarrow")
        with running(self.spark):
            return arrow_table(self.to_df(columns, filter, **more))

    def to_pandas(self, columns: Columns | None = None, filter: Filter | None = None, **more: Any) -> pd.DataFrame:
        """The rows as a pandas DataFrame, here in the driver. Takes what `to_df` takes."""
        require("pandas", "pandas", "pyarrow")
        return self.to_arrow(columns, filter, **more).to_pandas()

    def count_rows(self, filter: Filter | None = None) -> int:
        """Returns the number of rows, or of those that satisfy a condition."""
        with running(self.spark):
            return self.to_df(filter=filter).count()

    def head(self, num_rows: int, columns: Columns | None = None, filter: Filter | None = None) -> DataFrame:
        """The first rows."""
        return self.to_df(columns, filter).limit(num_rows)

    def take(self, indices: Sequence[int], columns: Columns | None = None) -> DataFrame:
        """The rows at some positions, from 0, in the order in which these are given.

        >>> LanceDataset(spark, path).take([2, 0, 2]).toArrow()["id"].to_pylist()
        [2, 0, 2]
        """
        version = str(self._version)
        found = call(self.spark, "row_addresses", table=self._uri, positions=list(indices), version=version)
        return rows_at(self.to_df(), "_rowaddr", [row["_rowaddr"] for row in found], columns)

    def take_rows(self, row_ids: Sequence[int], columns: Columns | None = None) -> DataFrame:
        """The rows with some ids (`_rowid`), in the order in which these are given, without ids that no row has."""
        return rows_at(self.to_df(), "_rowid", list(row_ids), columns)
