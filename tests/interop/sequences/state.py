"""The state of a sequence."""

import random
from dataclasses import replace

from tests.interop.sequences.content import Content, Values
from tests.interop.sequences.table import Table


class State:
    """A table and what it must hold; steps are functions of it that answer with the new content.

    kept: by their versions, all contents that are known
    told: the steps so far, in words
    """

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.dice = table, random.Random(seed)
        self.values = Values(self.dice, null_structs=table.version != "2.0")
        self.kept: dict[int, Content] = {}
        self.tagged: dict[str, int] = {}
        self.told: list[str] = []

    def begin(self) -> None:
        content = self.grown(Content(), 100)
        self.table.write(list(content.rows.values()), content.columns, max_rows_per_file=40)
        self.kept[1] = replace(content, lineage=self.table.check(content))

    @property
    def content(self) -> Content:
        return self.kept[max(self.kept)]

    def grown(self, content: Content, count: int) -> Content:
        added = {i: self.values.row(i, content.columns) for i in self.values.fresh(count)}
        return content.having(content.rows | added)

    def tell(self, words: str) -> None:
        self.told.append(words)

    def settle(self, after: Content) -> None:
        """Holds the table against what a step said, and keeps that."""
        version = self.table.latest()
        assert version >= max(self.kept)
        lineage = self.table.check(after)
        if version not in self.kept:
            self.kept[version] = replace(after, lineage=lineage)
        assert self.kept[version].rows == after.rows
        assert self.kept[version].lineage == lineage
