"""Products of parameters, of which the everyday ring runs a cover: each value, or each pair of values, of two axes."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def crossed(strength: int, **axes: Iterable[Any]) -> pytest.MarkDecorator:
    """Parametrizes a test by all combinations of the axes. Those that are not needed run in `./dev test --full` only.

    With strength 1, each value of each axis runs at least once, with 2 each pair of values of two axes.
    """
    values = [list(axis) for axis in axes.values()]
    kept = cover(strength, [len(axis) for axis in values])
    params = [
        pytest.param(
            *(axis[i] for axis, i in zip(values, cell, strict=True)), marks=() if cell in kept else pytest.mark.cross
        )
        for cell in itertools.product(*(range(len(axis)) for axis in values))
    ]
    return pytest.mark.parametrize(tuple(axes), params)


def only(values: Sequence[Any], *places: int) -> list[Any]:
    """Returns all values as parameters, of which the everyday ring runs those at these places."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=() if i in places else pytest.mark.cross)
        for i, value in enumerate(values)
    ]


def ends(values: Sequence[Any]) -> list[Any]:
    """Returns all values as parameters, of which the everyday ring runs the first and the last."""
    return only(values, 0, len(values) - 1)


def cover(strength: int, sizes: Sequence[int]) -> set[tuple[int, ...]]:
    """Returns cells of a product that together have each combination of `strength` values: always the same cells."""
    # The last values come first: of file versions, the newest.
    cells = list(itertools.product(*(range(size - 1, -1, -1) for size in sizes)))
    missing = {part for cell in cells for part in parts(strength, cell)}
    used: Counter[tuple[int, int]] = Counter()
    kept: set[tuple[int, ...]] = set()
    while missing:
        # The cell that adds most; of several, the one whose values were used least, so that they take turns.
        gains = {cell: (len(parts(strength, cell) & missing), -sum(used[v] for v in enumerate(cell))) for cell in cells}
        best = max(cells, key=gains.__getitem__)
        kept.add(best)
        used.update(enumerate(best))
        missing -= parts(strength, best)
    return kept


def parts(strength: int, cell: tuple[int, ...]) -> set[tuple[tuple[int, int], ...]]:
    return set(itertools.combinations(enumerate(cell), strength))
