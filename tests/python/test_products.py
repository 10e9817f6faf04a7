"""Covers of products of parameters."""

import itertools

import pytest

from tests.products import cover, crossed, parts


@pytest.mark.parametrize(
    ("strength", "sizes", "at_most"), [(1, [24, 3], 24), (2, [24, 3], 72), (2, [3, 8, 2], 26), (2, [3, 3, 2, 2], 11)]
)
def test_a_cover_has_each_combination_and_is_small(strength, sizes, at_most):
    kept = cover(strength, sizes)
    every = {part for cell in itertools.product(*map(range, sizes)) for part in parts(strength, cell)}
    assert {part for cell in kept for part in parts(strength, cell)} == every
    assert len(kept) <= at_most
    assert kept == cover(strength, sizes)


def test_values_of_a_short_axis_take_turns():
    versions = [version for _, version in cover(1, [24, 3])]
    assert {versions.count(i) for i in range(3)} == {8}


def test_cells_outside_of_the_cover_are_marked():
    mark = crossed(1, kind=["a", "b"], version=["2.1", "2.2"])
    names, cells = mark.args
    assert names == ("kind", "version")
    assert len(cells) == 4
    assert [cell.values for cell in cells if not cell.marks] == [("a", "2.1"), ("b", "2.2")]
