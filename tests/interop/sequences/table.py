"""A table on disk, and what Spark and pylance say of it."""

from dataclasses import dataclass
from typing import Any

import lance
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tests.interop.sequences.content import Content, Row, arrow

#: Of tables with stable row ids.
LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


@dataclass(frozen=True)
class Table:
    spark: SparkSession
    path: str
    version: str
    stable: bool

    @property
    def name(self) -> str:
        return f"lance.`{self.path}`"

    def sql(self, text: str) -> Any:
        return self.spark.sql(text).collect()

    def dataset(self, version: int | None = None) -> lance.LanceDataset:
        return lance.dataset(self.path, version=version)

    def latest(self) -> int:
        return self.dataset().version

    def frame(self, rows: list[Row], columns: dict[str, str]) -> DataFrame:
        """Rows for Spark, which knows no fixed-size lists, and fails on nested columns without a chunk."""
        table = arrow(rows, columns)
        if "vector" in columns:
            at = table.column_names.index("vector")
            table = table.set_column(at, "vector", table["vector"].cast(pa.list_(pa.float32())))
        chunked = [pa.chunked_array([column.combine_chunks()], column.type) for column in table.columns]
        return self.spark.createDataFrame(pa.table(chunked, names=table.column_names))

    def write(self, rows: list[Row], columns: dict[str, str], **options: Any) -> None:
        lance.write_dataset(
            arrow(rows, columns),
            self.path,
            data_storage_version=self.version,
            enable_stable_row_ids=self.stable,
            **options,
        )

    def by_pylance(self, version: int | None) -> list[Row]:
        dataset = self.dataset(version)
        dataset.validate()
        if not self.stable:
            return dataset.to_table(with_row_id=True).to_pylist()
        names = [field.name for field in dataset.schema]
        return dataset.to_table(columns=[*names, *LINEAGE]).to_pylist()

    def by_spark(self, version: int | None) -> list[Row]:
        reader = self.spark.read.format("lance")
        frame = (reader if version is None else reader.option("version", version)).load(self.path)
        return frame.select("*", *(LINEAGE if self.stable else LINEAGE[:1])).toArrow().to_pylist()

    def check_places(self) -> None:
        """Fails if positions, row ids and addresses do not lead to the same rows."""
        theirs = self.dataset().to_table(columns=[], with_row_id=True, with_row_address=True)
        ids, addresses = theirs["_rowid"].to_pylist(), theirs["_rowaddr"].to_pylist()
        positions = ", ".join(map(str, reversed(range(len(ids)))))
        named = f"CALL lance.system.row_addresses('{self.path}', array({positions}))"
        by_position = [row["_rowaddr"] for row in self.sql(named)] if ids else []
        assert by_position == addresses[::-1], "positions name other rows"
        wanted = {*ids[::2], *(address + 1 for address in addresses)}
        listed = ", ".join(map(str, wanted)) or "0"
        by_id = self.sql(f"SELECT _rowid, _rowaddr FROM {self.name} WHERE _rowid IN ({listed})")
        expected = {i: address for i, address in zip(ids, addresses, strict=True) if i in wanted}
        assert {row["_rowid"]: row["_rowaddr"] for row in by_id} == expected, "row ids name other rows"

    def check(self, expected: Content, version: int | None = None) -> dict[int, tuple[int, int, int]]:
        """Fails if the table does not hold that. Answers where its rows come from."""
        if version is None:
            self.check_places()
        theirs = {row["id"]: row for row in self.by_pylance(version)}
        ours = self.by_spark(version)
        assert len({row["_rowid"] for row in ours}) == len(ours), "row ids are there twice"
        assert {row["id"]: row for row in ours} == theirs, "Spark and pylance do not see the same"
        assert len(ours) == len(theirs)
        lineage = {i: tuple(row.pop(name) for name in LINEAGE if name in row) for i, row in theirs.items()}
        assert theirs.keys() == expected.rows.keys()
        assert all(list(row) == list(expected.columns) for row in theirs.values())
        assert theirs == expected.rows
        return lineage if self.stable else {}  # type: ignore[return-value]
