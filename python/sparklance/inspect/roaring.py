"""Roaring bitmaps of 32-bit numbers, in their portable serialization, as ranges.

A cookie (u32), with the number of containers in its high half and a bitmap of those with runs after it, or followed by
the number of containers (u32). Then for each container: high half of its numbers and how many there are, less one (u16
each). Then, unless there are runs and fewer than 4 containers, the offset of each (u32). Then the containers: runs
(u16 count; start, length less one), a sorted array of u16 (up to 4,096 numbers) or 8,192 bytes with a bit for each.
"""

import re
import struct
from bisect import bisect_right

from sparklance.errors import LanceFormatException

Range = tuple[int, int]
_NO_RUNS, _RUNS = 12346, 12347
_ONES = re.compile("1+")


def ranges(data: bytes, what: str) -> list[Range]:
    """The numbers in it, ascending, as ranges from first to last, both included."""
    try:
        return joined(_containers(data))
    except (struct.error, IndexError) as e:
        raise LanceFormatException(f"{what} is not a Roaring bitmap ({len(data)} bytes): it is damaged.") from e


def count(found: list[Range]) -> int:
    return sum(last - first + 1 for first, last in found)


def contains(found: list[Range], number: int) -> bool:
    i = bisect_right(found, number, key=lambda each: each[0])
    return i > 0 and number <= found[i - 1][1]


def joined(found: list[Range]) -> list[Range]:
    """Ranges that are sorted, with neighbours made one."""
    result: list[Range] = []
    for first, last in found:
        if result and first <= result[-1][1] + 1:
            result[-1] = result[-1][0], max(last, result[-1][1])
        else:
            result.append((first, last))
    return result


def _containers(data: bytes) -> list[Range]:
    (cookie,) = struct.unpack_from("<I", data)
    has_runs = cookie & 0xFFFF == _RUNS
    if not has_runs and cookie != _NO_RUNS:
        raise IndexError("cookie")
    total = (cookie >> 16) + 1 if has_runs else struct.unpack_from("<I", data, 4)[0]
    position = 4 if has_runs else 8
    run_flags = data[position : position + (total + 7) // 8] if has_runs else b""
    position += len(run_flags)
    if total > 1 << 16:
        raise IndexError("containers")
    heads = struct.unpack_from(f"<{2 * total}H", data, position)
    position += 4 * total + (0 if has_runs and total < 4 else 4 * total)
    found: list[Range] = []
    for i in range(total):
        high, size = heads[2 * i] << 16, heads[2 * i + 1] + 1
        is_run = has_runs and bool(run_flags[i // 8] >> i % 8 & 1)
        inside, position = _container(data, position, size, is_run=is_run)
        found += [(high + first, high + last) for first, last in inside]
    return found


def _container(data: bytes, position: int, size: int, *, is_run: bool) -> tuple[list[Range], int]:
    if is_run:
        (runs,) = struct.unpack_from("<H", data, position)
        pairs = struct.unpack_from(f"<{2 * runs}H", data, position + 2)
        return [(s, s + n) for s, n in zip(pairs[::2], pairs[1::2], strict=True)], position + 2 + 4 * runs
    if size <= 4096:
        return [(n, n) for n in struct.unpack_from(f"<{size}H", data, position)], position + 2 * size
    (bitset,) = struct.unpack_from("8192s", data, position)
    bits = f"{int.from_bytes(bitset, 'little'):065536b}"[::-1]
    return [(m.start(), m.end() - 1) for m in _ONES.finditer(bits)], position + 8192
