"""The ways in which a newcomer may come to a first table, from the wheel alone."""

import shutil
from collections.abc import Iterator

import pytest

from dev_tools import ROOT
from tests import connect
from tests.newcomer.conftest import Machine

# Installs packages. `./dev release --dry-run` runs it, too.
pytestmark = pytest.mark.long

PROGRAM = """
import sparklance
from pyspark.sql import SparkSession

spark = sparklance.configure(SparkSession.builder.master("local[2]")).getOrCreate()
spark.range(15).write.format("lance").save("t.lance")
print("rows:", spark.read.format("lance").load("t.lance").where("id > 4").count())
"""
# What those type who have a session already.
TYPED = """
spark.range(15).write.format("lance").save("t.lance")
print("rows:", spark.read.format("lance").load("t.lance").where("id > 4").count())
"""
SQL = """
CREATE TABLE t (id BIGINT, name STRING) USING lance;
INSERT INTO t VALUES (1, 'one'), (2, 'two');
UPDATE t SET name = 'zwei' WHERE id = 2;
SELECT concat('rows: ', count(*), ' ', max(name)) FROM t;
SELECT concat('was: ', max(name)) FROM t VERSION AS OF 2;
"""


def test_a_program_with_one_line_more(machine: Machine) -> None:
    (machine.folder / "first.py").write_text(PROGRAM)
    assert "rows: 10" in machine.run("python", "first.py")


def test_a_program_that_knows_the_jar_only(machine: Machine) -> None:
    shutil.copy(ROOT / "tests" / "spark" / "smoke.py", machine.folder)
    assert "sparklance works on Spark" in machine.run("python", "smoke.py", machine.jar)


def test_a_look_into_a_table_without_spark(machine: Machine) -> None:
    table = ROOT / "tests" / "golden" / "tables"
    some = next(path for path in sorted(table.iterdir()) if (path / "_versions").is_dir())
    assert "version" in machine.run("python", "-m", "sparklance.inspect", str(some))


def test_the_pyspark_shell(machine: Machine) -> None:
    # Without a terminal, Python needs a flag to be interactive.
    typing = {"PYSPARK_DRIVER_PYTHON_OPTS": "-i"}
    assert "rows: 10" in machine.run("pyspark", "--jars", machine.jar, stdin=TYPED, env=typing)


def test_spark_shell(machine: Machine) -> None:
    typed = TYPED.replace("print(", "println(").replace(", spark.read", ' + " " + spark.read')
    assert "rows: 10" in machine.run("spark-shell", "--jars", machine.jar, stdin=typed)


def test_the_spark_sql_shell(machine: Machine) -> None:
    (machine.folder / "first.sql").write_text(SQL)
    shown = machine.run("spark-sql", "--jars", machine.jar, "-f", "first.sql").splitlines()
    assert [line for line in shown if line.startswith(("rows", "was"))] == ["rows: 2 zwei", "was: two"]


def test_spark_submit(machine: Machine) -> None:
    job = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n" + TYPED
    (machine.folder / "job.py").write_text(job)
    assert "rows: 10" in machine.run("spark-submit", "--jars", machine.jar, "job.py")


def test_spark_submit_of_a_program_that_configures(machine: Machine) -> None:
    (machine.folder / "first.py").write_text(PROGRAM)
    assert "rows: 10" in machine.run("spark-submit", "--jars", machine.jar, "first.py")


def test_a_notebook(machine: Machine) -> None:
    shutil.copy(ROOT / "examples" / "first_table.ipynb", machine.folder)
    convert = ["--to", "markdown", "--execute", "--stdout", "first_table.ipynb"]
    shown = machine.run("jupyter-nbconvert", *convert, env={"IPYTHONDIR": str(machine.folder)})
    assert "version 2 has 5 rows" in shown


@pytest.fixture
def server(machine: Machine) -> Iterator[str]:
    submit = machine.home / "bin" / "spark-submit"
    with connect.server(submit, machine.jar, machine.folder, machine.environment()) as address:
        yield address


def test_a_client_of_spark_connect(machine: Machine, server: str) -> None:
    program = PROGRAM.replace('master("local[2]")', f'remote("{server}")').replace('"t.lance"', f'"{machine.folder}/t"')
    more = f"print('version:', sparklance.LanceDataset(spark, '{machine.folder}/t').version)\n"
    (machine.folder / "client.py").write_text(program + more)
    shown = machine.run("python", "client.py")
    assert "rows: 10" in shown
    assert "version: 1" in shown
