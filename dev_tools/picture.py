"""Draws docs/images/architecture.svg: `python -m dev_tools.picture`."""

import sys
from html import escape

from dev_tools import ROOT

TARGET = ROOT / "docs" / "images" / "architecture.svg"
WIDTH, LEFT, ROW, GAP = 860, 20, 62, 12

#: From the top down: a floor, its boxes with a line each. Arrows of imports point down only.
FLOORS = [
    ("Spark", [("Spark SQL, DataFrames, Connect", "LanceDataset in Python calls SQL and procedures")]),
    (
        "spark",
        [
            ("catalog, procedures", "names, statements, CALL"),
            ("read, search", "pushdown, splits, vectors"),
            ("write, rowlevel, backfill", "rows to files, commits"),
        ],
    ),
    ("", [("search", "indices of keys, vectors and texts"), ("catalog", "namespaces of tables")]),
    ("dataset", [("dataset", "a table at a version: scan, write, maintain")]),
    ("table", [("table", "manifests, transactions, conflicts"), ("stores, rest", "URIs and servers of tables")]),
    ("format", [("file", "a data file: footer, columns, pages, read-ahead")]),
    (
        "",
        [
            ("encoding", "pages ↔ values: pure functions of bytes"),
            ("io", "requests to disks, HDFS, object stores"),
        ],
    ),
]


def draw() -> str:
    """Returns the picture as SVG."""
    height = len(FLOORS) * (ROW + GAP) + GAP + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        "<title>From Spark down to the bytes</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (floor, boxes) in enumerate(FLOORS):
        top = GAP + number * (ROW + GAP)
        parts.append(text(LEFT, top + ROW / 2 + 4, floor, 13, "#57606a"))
        width = (WIDTH - 120 - LEFT - GAP * (len(boxes) - 1)) / len(boxes)
        for at, (name, line) in enumerate(boxes):
            parts += box(100 + at * (width + GAP), top, width, name, line)
        if number:
            parts.append(arrow(100 + (WIDTH - 120 - LEFT) / 2, top - GAP, top))
    return "\n".join([*parts, "</svg>", ""])


def box(left: float, top: float, width: float, name: str, line: str) -> list[str]:
    return [
        f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{ROW}" rx="6" fill="#eef4fb" stroke="#3b6ea5"/>',
        text(left + 12, top + 25, name, 15, "#1f2328", "bold"),
        text(left + 12, top + 46, line, 12, "#3d444d"),
    ]


def text(left: float, top: float, words: str, size: int, colour: str, weight: str = "normal") -> str:
    place = f'x="{left:.0f}" y="{top:.0f}" font-size="{size}" font-weight="{weight}" fill="{colour}"'
    return f"<text {place}>{escape(words)}</text>"


def arrow(left: float, top: float, bottom: float) -> str:
    return f'<path d="M{left:.0f} {top} V{bottom} m-4 -5 l4 5 l4 -5" fill="none" stroke="#3b6ea5"/>'


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(draw())
    sys.exit(0)
