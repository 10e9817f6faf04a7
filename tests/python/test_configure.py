"""`configure` adds one jar to whatever the user has set, and says so when it comes too late."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pyspark import SparkConf
from pyspark.sql import SparkSession

import sparklance
from sparklance import _jvm, _resources, session

OURS = str(session.jar_path())


@pytest.fixture
def launch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Acts like a fresh process without settings; gives the directory that Spark takes its defaults from."""
    for name in ("PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setattr(_jvm, "is_running", lambda: False)
    return tmp_path


def options_after(builder: SparkSession.Builder) -> dict[str, str]:
    return _jvm.builder_options(sparklance.configure(builder))


def test_sets_the_packaged_jar_and_nothing_else(launch):
    assert options_after(SparkSession.Builder()) == {"spark.jars": OURS}


def test_refuses_a_spark_that_is_too_old(launch, monkeypatch):
    monkeypatch.setattr("pyspark.__version__", "3.5.7")
    with pytest.raises(RuntimeError, match="sparklance needs Spark 4"):
        sparklance.configure(SparkSession.Builder())


def test_keeps_what_the_builder_has(launch):
    builder = SparkSession.Builder().appName("mine").config("spark.jars", "a.jar, b.jar")
    assert options_after(builder) == {"spark.app.name": "mine", "spark.jars": f"a.jar,b.jar,{OURS}"}


def test_keeps_what_a_spark_conf_has(launch):
    conf = SparkConf(loadDefaults=False).set("spark.jars", "a.jar")
    assert options_after(SparkSession.Builder().config(conf=conf))["spark.jars"] == f"a.jar,{OURS}"


def test_once_is_as_good_as_twice(launch, monkeypatch):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars a.jar pyspark-shell")
    builder = sparklance.configure(SparkSession.Builder().config("spark.jars", "b.jar"))
    assert options_after(builder)["spark.jars"] == f"b.jar,a.jar,{OURS}"


def test_another_copy_of_the_jar_is_left_alone(launch):
    builder = SparkSession.Builder().config("spark.jars", "s3a://jars/sparklance_2.13-9.9.9.jar")
    assert options_after(builder)["spark.jars"] == "s3a://jars/sparklance_2.13-9.9.9.jar"


@pytest.mark.parametrize(
    "line",
    [
        "spark.jars a.jar,b.jar",
        "spark.jars=a.jar,b.jar",
        "  spark.jars\t:  a.jar,b.jar  ",
        "spark.jars a.jar,\\\n    b.jar",
        "spark.jars overridden.jar\nspark.jars a.jar,b.jar",
    ],
)
def test_keeps_what_spark_defaults_have(launch, line):
    defaults = f"# spark.jars no.jar\nspark.jars.packages x:y:1\n{line}\nspark.ui.enabled false\n"
    (launch / "spark-defaults.conf").write_text(defaults)
    assert options_after(SparkSession.Builder())["spark.jars"] == f"a.jar,b.jar,{OURS}"


def test_defaults_are_those_of_spark_home_without_a_conf_dir(launch, monkeypatch):
    monkeypatch.delenv("SPARK_CONF_DIR")
    monkeypatch.setenv("SPARK_HOME", str(launch))
    (launch / "conf").mkdir()
    (launch / "conf" / "spark-defaults.conf").write_text("spark.jars a.jar\n")
    assert options_after(SparkSession.Builder())["spark.jars"] == f"a.jar,{OURS}"


@pytest.mark.parametrize(("flag", "jars"), [("", "file.jar"), ("--load-spark-defaults ", "file.jar,default.jar")])
def test_a_properties_file_replaces_the_defaults(launch, monkeypatch, flag, jars):
    (launch / "spark-defaults.conf").write_text("spark.jars default.jar\n")
    (launch / "own.conf").write_text("spark.jars file.jar\n")
    arguments = f"--properties-file {launch / 'own.conf'} {flag}pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    assert options_after(SparkSession.Builder())["spark.jars"] == f"{jars},{OURS}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("--jars a.jar pyspark-shell", "--jars a.jar,{ours} pyspark-shell"),
        ("--jars=a.jar pyspark-shell", "--jars=a.jar,{ours} pyspark-shell"),
        ("--conf spark.jars=a.jar pyspark-shell", "--conf spark.jars=a.jar,{ours} pyspark-shell"),
        ("-c 'spark.jars=a.jar' pyspark-shell", "-c spark.jars=a.jar,{ours} pyspark-shell"),
        ("--conf=spark.jars=a.jar pyspark-shell", "--conf=spark.jars=a.jar,{ours} pyspark-shell"),
        (
            "--name 'two words' --jars a.jar --conf spark.jars=a.jar pyspark-shell",
            "--name 'two words' --jars a.jar,{ours} --conf spark.jars=a.jar,{ours} pyspark-shell",
        ),
    ],
)
def test_is_added_to_submit_args_that_name_jars(launch, monkeypatch, given, expected):
    """They would win over the builder, and our jar would be listed but not loaded."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", given)
    assert options_after(SparkSession.Builder())["spark.jars"] == f"a.jar,{OURS}"
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == expected.format(ours=OURS)


def test_submit_args_without_jars_stay_as_they_are(launch, monkeypatch):
    given = "--driver-memory  2g --conf spark.jars.packages=x:y:1   pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", given)
    assert options_after(SparkSession.Builder())["spark.jars"] == OURS
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == given


def test_a_connect_server_elsewhere_brings_its_own_jar(launch, monkeypatch):
    assert "spark.jars" not in options_after(SparkSession.Builder().remote("sc://server:15002"))
    monkeypatch.setenv("SPARK_REMOTE", "sc://server:15002")
    assert options_after(SparkSession.Builder()) == {}


def test_a_connect_server_started_here_gets_the_jar(launch):
    assert options_after(SparkSession.Builder().remote("local[2]"))["spark.jars"] == OURS


def test_a_running_spark_without_the_jar_is_an_error(launch, monkeypatch):
    monkeypatch.setattr(_jvm, "is_running", lambda: True)
    monkeypatch.setattr(_jvm, "has_connector", lambda: False)
    with pytest.raises(RuntimeError, match=r"comes too late: .* already running .* Call configure\(\) before"):
        sparklance.configure(SparkSession.Builder())


def test_a_running_spark_with_the_jar_is_fine(spark):
    assert "spark.jars" not in options_after(SparkSession.Builder())


def test_a_checkout_that_was_never_built_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(_resources, "folder", lambda name: tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"jar of sparklance is missing .* Run './dev build'"):
        session.jar_path()


PROGRAM = """
from pyspark.sql import SparkSession
import sparklance
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
try:
    spark = sparklance.configure(builder).getOrCreate() if {early} else builder.getOrCreate()
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    print([url.toString().rsplit("/", 1)[-1] for url in loader.getURLs()])
    sparklance.configure(builder)
except RuntimeError as e:
    print(e)
    try:
        sparklance.LanceDataset(spark, "/t.lance")
    except sparklance.errors.LanceUsageException as e:
        print(e)
"""


def run(early: bool, **environment: str) -> str:
    program = [sys.executable, "-c", PROGRAM.format(early=early)]
    env = os.environ | environment
    return subprocess.run(program, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.process
def test_all_jars_are_loaded_when_set_in_every_way_at_once(tmp_path):
    for name in ("default", "argument"):
        # An empty archive is enough.
        (tmp_path / f"{name}.jar").write_bytes(b"PK\5\6" + bytes(18))
    (tmp_path / "spark-defaults.conf").write_text(f"spark.jars {tmp_path / 'default.jar'}\n")
    arguments = f"--conf spark.jars={tmp_path / 'argument.jar'} pyspark-shell"
    out = run(True, SPARK_CONF_DIR=str(tmp_path), PYSPARK_SUBMIT_ARGS=arguments)
    assert sorted(eval(out)) == sorted(["argument.jar", "default.jar", Path(OURS).name])


@pytest.mark.process
def test_a_session_started_without_the_jar_is_noticed():
    shown = run(False)
    assert "comes too late" in shown
    assert "The Spark of this session has no sparklance jar" in shown


IN_AN_ARCHIVE = """
import sparklance
from sparklance import proto, session
print(sparklance.__file__, session.jar_path(), session.jar_path().stat().st_size, proto.Manifest.DESCRIPTOR.full_name)
print(sparklance.__version__, session.jar_path() == session.jar_path())
"""


@pytest.mark.process
@pytest.mark.parametrize("extension", ["whl", "zip"])
def test_the_package_works_from_an_archive(tmp_path, extension):
    """`spark-submit --py-files` puts a wheel on the path, or an archive of the package alone."""
    package, archive = Path(sparklance.__file__).parent, tmp_path / f"sparklance.{extension}"
    with zipfile.ZipFile(archive, "w") as file:
        for path in package.rglob("*"):
            if "__pycache__" not in path.parts:
                file.write(path, path.relative_to(package.parent))
        if extension == "whl":
            file.writestr(
                "sparklance-7.8.9.dist-info/METADATA", "Metadata-Version: 2.1\nName: sparklance\nVersion: 7.8.9\n"
            )
    program = [sys.executable, "-P", "-c", IN_AN_ARCHIVE]
    env = os.environ | {"PYTHONPATH": str(archive)}
    first, second = subprocess.run(program, env=env, capture_output=True, text=True, check=True).stdout.splitlines()
    place, jar, size, message = first.split()
    assert place == str(archive / "sparklance" / "__init__.py")
    assert Path(jar).name == Path(OURS).name
    assert int(size) == Path(OURS).stat().st_size
    assert message == "lance.table.Manifest"
    assert second == f"{'7.8.9' if extension == 'whl' else Path(OURS).stem.rpartition('-')[2]} True"
    assert not Path(jar).exists()
