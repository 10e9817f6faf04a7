"""The parts of `./dev` that can go wrong on a machine unlike this one."""

import subprocess
from pathlib import Path

import pytest

from dev_tools import ROOT, SetupError, artifacts, java, sbt, trust


def test_alone_prints_its_commands():
    shown = subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout
    for name in ("demo", "test", "build", "fmt", "lint", "sbt", "clean"):
        assert f"\n  {name} " in shown


def test_an_unknown_command_is_an_error():
    assert subprocess.run([ROOT / "dev", "tset"], capture_output=True).returncode == 2


@pytest.mark.parametrize(
    ("version", "has_signatures", "expected"),
    [(11, True, False), (17, False, True), (17, True, True), (21, False, False), (21, True, True), (25, True, True)],
)
def test_a_java_that_cannot_compile_for_17_is_passed_over(tmp_path, version, has_signatures, expected):
    if has_signatures:
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib" / "ct.sym").touch()
    assert java.can_build(version, tmp_path) is expected


def test_java_home_goes_before_the_path_and_a_wrong_one_is_passed_over(monkeypatch, tmp_path):
    home = java.required()
    monkeypatch.setenv("PATH", f"{home}/bin")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java.users() == home


def test_without_any_java_the_fallback_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert java.FALLBACK in artifacts.requirements()
    monkeypatch.setattr(java, "fallback", lambda: None)
    with pytest.raises(SetupError, match=r"neither JAVA_HOME nor the PATH has a JDK 17 or newer, .* Install a JDK 17"):
        java.required()


def test_pyspark_starts_a_java_without_the_vector_module(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "release").write_text('MODULES="java.base java.sql"\n')
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\nprintf '[%s]' \"$@\"\n")
    (tmp_path / "bin" / "java").chmod(0o755)
    monkeypatch.setattr(java, "required", lambda: tmp_path)
    monkeypatch.setattr(java, "CACHE", tmp_path)
    started = [java.for_spark() / "bin" / "java", "-Da=b c", f"--add-modules={java.VECTOR_MODULE}", "Main", ""]
    assert subprocess.run(started, capture_output=True, text=True).stdout == "[-Da=b c][Main][]"
    (tmp_path / "release").write_text(f'MODULES="java.base {java.VECTOR_MODULE}"\n')
    assert java.for_spark() == tmp_path


def test_the_launcher_is_that_of_the_build():
    assert f"sbt.version={sbt.version()}" in (ROOT / "project" / "build.properties").read_text().split()


def test_java_options_go_before_the_launcher():
    command = sbt.command(["-Dspark.version=4.3.0", "core/test"])
    assert command.index("-Dspark.version=4.3.0") < command.index("-jar")
    assert command[-1] == "core/test"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Two certificates with text between them, as in a system's bundle."""
    import certifi

    end = "-----END CERTIFICATE-----"
    first, second, *_ = Path(certifi.where()).read_text().split(end)
    path = tmp_path / "bundle.pem"
    path.write_text(f"{first}{end}\n# Ünder\n{second}{end}\n")
    return path


def test_java_reads_the_key_store_made_of_ssl_cert_file(bundle, tmp_path):
    store = tmp_path / "store.jks"
    store.write_bytes(trust.key_store(bundle))
    command = [java.required() / "bin" / "keytool", "-list", "-keystore", store, "-storepass", "changeit"]
    shown = subprocess.run(command, capture_output=True, text=True)
    assert "contains 2 entries" in shown.stdout, shown


def test_a_trust_store_of_the_user_is_left_alone(bundle, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Djavax.net.ssl.trustStore=mine.jks")
    assert trust.for_java() == []


def test_an_ssl_cert_file_that_is_not_there_is_named(monkeypatch, tmp_path):
    with pytest.raises(SetupError, match=r"SSL_CERT_FILE .* Correct or unset it"):
        trust.key_store(tmp_path / "missing.pem")


def test_any_change_of_an_input_asks_for_a_new_jar(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "ROOT", tmp_path)
    first, second = tmp_path / "A.scala", tmp_path / "B.scala"
    first.write_text("object A")
    before = artifacts.digest([first])
    first.write_text("object A { }")
    after = artifacts.digest([first])
    first.rename(second)
    assert len({before, after, artifacts.digest([second])}) == 3
