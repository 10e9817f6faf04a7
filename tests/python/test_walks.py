"""The walks of records/house.md pass files that exist and are connected."""

import re

import pytest

from dev_tools import ROOT, census

WALK = re.compile(r"^\| (an? [^|]+) \| ((?:`\w+`(?:, )?)+) \|$", re.MULTILINE)
WALKS = {duty: re.findall(r"\w+", files) for duty, files in WALK.findall((ROOT / "records/house.md").read_text())}


def test_seven_duties_have_a_walk() -> None:
    print({duty: len(files) for duty, files in WALKS.items()})
    assert len(WALKS) == 7


@pytest.mark.parametrize("duty", WALKS)
def test_each_file_of_a_walk_uses_one_before_it_or_is_used_by_it(duty: str) -> None:
    known = {file.path.stem: file for file in census.files()}
    walk = WALKS[duty]
    assert [name for name in walk if name not in known] == []
    assert len(set(walk)) == len(walk)

    def meet(a: str, b: str) -> bool:
        one, other = known[a], known[b]
        return census.reaches(one, other, census.words()[other.path]) or census.reaches(
            other, one, census.words()[one.path]
        )

    assert [name for at, name in enumerate(walk) if at and not any(meet(name, other) for other in walk[:at])] == []
