"""Runs the code blocks of a page of the documentation, in their order and as they stand."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]

#: The blocks that no test runs, by page and first line, and why not.
SKIPPED = {
    "README.md": {
        "./dev demo     # writes real data as a Lance table, reads it back with Spark and with pylance: "
        "3 minutes the first time": "commands of a shell",
        "pip install .                                             # PySpark: builds the jar and packs it": "commands "
        "of a shell: tests/newcomer runs them",
        "spark-submit --jars sparklance_2.13-0.1.0.jar --py-files sparklance-0.1.0-py3-none-any.whl job.py": "a shell",
    },
    "docs/architecture.md": {
        "protos/                     messages on disk, for the JVM and for Python": "a drawing of directories",
    },
    "docs/errors.md": {
        "[LANCE_TABLE_NOT_FOUND] There is no Lance table at file:/data/flight: there is nothing at that path. Check "
        "the path, or create the table by writing to it. SQLSTATE: 42P01": "a message",
    },
    "docs/index.md": {
        "pip install sparklance-0.1.0-py3-none-any.whl": "commands of a shell: tests/newcomer runs them",
    },
    "docs/how-to/move-from-delta.md": {
        "spark.sql.catalog.spark_catalog  org.apache.spark.sql.delta.catalog.DeltaCatalog": "settings in a file",
    },
    "docs/how-to/run-on-a-cluster.md": {
        "spark-submit --master yarn --conf spark.executor.cores=4 --conf spark.executor.memory=4g \\": "a shell",
        "spark.sql.catalog.lake            io.sparklance.spark.LanceCatalog": "settings in a file",
    },
    "docs/how-to/use-s3.md": {
        "spark-submit --packages org.apache.hadoop:hadoop-aws:3.5.0 --jars sparklance_2.13-0.1.0.jar job.py": "a shell",
        'df.write.format("lance").save("s3://bucket/flights.lance")': "an object store: tests/stores has one",
        "s3+ddb://bucket/flights.lance?ddbTableName=locks": "a location",
    },
    "docs/inspect.md": {
        "python -m sparklance.inspect PATH [--version N] [--column a.b] [--file data/x.lance] [--json]": "a shell",
        "$ python -m sparklance.inspect /data/people.lance": "a shell, and output with sizes and names of files",
    },
    "docs/shared-catalogs.md": {
        "spark.sql.catalog.lake      io.sparklance.spark.LanceCatalog": "settings in a file",
    },
    "docs/sessions.md": {
        "spark.sql.catalog.spark_catalog  io.sparklance.spark.LanceSessionCatalog": "settings in a file",
        "start-thriftserver.sh --jars sparklance_2.13-0.1.0.jar --conf "
        "spark.sql.catalog.lake=io.sparklance.spark.LanceCatalog --conf spark.sql.catalog.lake.root=/data/lake": "a "
        "server, which test_thrift_server.py starts",
    },
    "docs/stores.md": {
        'builder.config("spark.jars.packages", "org.apache.hadoop:hadoop-aws:3.5.0")': "needs a store's jar",
        "CREATE TABLE lance_manifests (": "a statement for the database: JdbcRecordsSuite runs it",
        'builder.config("spark.datasource.lance.commitHandler", "io.sparklance.stores.jdbc.JdbcRecords")': "a database",
    },
    "docs/tutorial.md": {
        "python -m venv tutorial && . tutorial/bin/activate": "commands of a shell: tests/newcomer runs them",
    },
}
#: The blocks for which older versions of Spark lack something, by first line, and the version that has it.
SINCE = {
    "SELECT q.id, d.id, vector_l2_distance(q.embedding, d.embedding)": (4, 2),
}
#: A text, a quoted name, a comment, or the end of a statement.
_SQL = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|--[^\n]*|;", re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, its code, and the line of the page on which it begins."""

    language: str
    code: str
    line: int

    @property
    def head(self) -> str:
        """The first line, by which tests name the block."""
        return self.code.partition("\n")[0]


def blocks(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)


def with_blocks() -> list[str]:
    """Returns all pages with code, and the README."""
    pages = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if "```" in (ROOT / page).read_text()]


def run(page: str, spark: SparkSession, folder: str, **names: Any) -> dict[str, Any]:
    """Runs the page's Python and SQL with paths below `folder`, and compares what they print with the text blocks.

    A block in another language that is not among `SKIPPED` is an error. Returns the variables that the page's Python
    has at its end.
    """
    scope = {"spark": spark, **names}
    printed = ""
    version = tuple(int(part) for part in spark.version.split(".")[:2])
    for block in blocks(page):
        if block.head in SKIPPED.get(page, {}) or version < SINCE.get(block.head, version):
            continue
        here = re.sub(r"/(?:data|tmp/shop)/", f"{folder}/", block.code)
        if block.language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (block.line - 1) + here, page, "exec"), scope)
            printed = out.getvalue()
        elif block.language == "sql":
            printed = ""
            for statement in statements(here):
                with _at(page, block, statement):
                    printed = shown(scope["spark"], statement)
        elif block.language == "text":
            assert printed.strip() == here.strip(), f"{page}:{block.line}: it prints {printed}"
        else:
            raise AssertionError(f"{page}:{block.line} is in no language that runs: add it to SKIPPED, with a reason")
    return scope


@contextlib.contextmanager
def _at(page: str, block: Block, statement: str) -> Iterator[None]:
    """Adds the place on the page to an error."""
    try:
        yield
    except Exception as e:
        e.add_note(f"{page}:{block.line}: {statement}")
        raise


def statements(sql: str) -> list[str]:
    """Cuts SQL at its semicolons, except those in texts, quoted names and comments. Comments are left out."""
    found, last = [""], 0
    for match in _SQL.finditer(sql):
        found[-1] += sql[last : match.start()]
        last = match.end()
        if match[0] == ";":
            found.append("")
        elif not match[0].startswith("--"):
            found[-1] += match[0]
    found[-1] += sql[last:]
    return [statement.strip() for statement in found if statement.strip()]


def shown(spark: SparkSession, statement: str) -> str:
    """Runs a statement, and returns its rows as Spark shows them."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        spark.sql(statement).show()
    return out.getvalue()
