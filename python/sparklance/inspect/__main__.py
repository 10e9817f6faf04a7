"""`python -m sparklance.inspect`: see the package's own text."""

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence

from sparklance.errors import LanceException
from sparklance.inspect import describe, problems, text


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        document = describe(options.path, options.version, options.column or (), options.file)
    except (LanceException, OSError) as e:
        return _failed(problems.message_of(e))
    if options.json:
        print(json.dumps(document, indent=2))
    else:
        print("\n".join(text.lines(document)))
    if found := document["problems"]:
        return _failed(found[0] + (f" (and {len(found) - 1} more)" if len(found) > 1 else ""))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sparklance.inspect",
        description="Shows what a Lance table, or one of its files, is made of: versions, manifest, transactions, "
        "deletion files, data files with columns, pages and encodings.",
    )
    parser.add_argument("path", help="a table, or a .lance, .manifest, .txn, .arrow or .bin file of one")
    parser.add_argument("--version", type=int, metavar="N", help="the version of the table (the latest by default)")
    parser.add_argument("--column", action="append", metavar="a.b", help="only this column of data files; repeatable")
    parser.add_argument("--file", metavar="data/x.lance", help="only this data file of the table")
    parser.add_argument("--json", action="store_true", help="as one JSON document")
    return parser


def _failed(problem: str) -> int:
    print(f"sparklance.inspect: {' '.join(problem.split())}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):  # for names that the terminal's encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # as in `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
