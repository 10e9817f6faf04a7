"""The jars that a Spark started from Python would load, apart from those in its builder.

The builder's options reach `spark-submit` as `--conf` arguments, and PYSPARK_SUBMIT_ARGS comes after them: what it
says about jars wins, and `--jars` wins over `--conf spark.jars`. A properties file (by default
`spark-defaults.conf`) counts only for what neither has set.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path

from sparklance import _jvm

_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_PROPERTY = re.compile(r"^[ \t\f]*spark\.jars(?:[ \t\f]*[=:][ \t\f]*|[ \t\f]+)(\S.*?)\s*$", re.MULTILINE)


def split(jars: object) -> list[str]:
    """The entries of a value of `spark.jars`."""
    return [jar.strip() for jar in str(jars or "").split(",") if jar.strip()]


def is_remote(options: Mapping[str, object], environment: Mapping[str, str]) -> bool:
    """Whether a Spark Connect server elsewhere is meant. (`local` starts a server here, with the jars set here.)"""
    url = str(options.get("spark.remote") or environment.get("SPARK_REMOTE") or "")
    return bool(url) and not url.startswith("local")


def jars_of_arguments(environment: Mapping[str, str]) -> list[str]:
    tokens = _tokens(environment)
    return [jar for i, start in _places_of_jars(tokens) for jar in split(tokens[i][start:])]


def replace_jars_in_arguments(environment: MutableMapping[str, str], jars: Sequence[str]) -> None:
    """Replaces the jars that PYSPARK_SUBMIT_ARGS names, if it names any."""
    tokens = _tokens(environment)
    places = list(_places_of_jars(tokens))
    for i, start in places:
        tokens[i] = tokens[i][:start] + ",".join(jars)
    if places:
        environment[_ARGUMENTS] = shlex.join(tokens)


def jars_of_defaults(environment: Mapping[str, str]) -> list[str]:
    """`spark.jars` of the properties files that apply."""
    tokens = _tokens(environment)
    files = [Path(tokens[i][start:]) for i, start in _places(tokens, "--properties-file")][-1:]
    if not files or "--load-spark-defaults" in tokens:
        folder = environment.get("SPARK_CONF_DIR") or Path(_jvm.spark_home(), "conf")
        files.append(Path(folder, "spark-defaults.conf"))
    return [jar for file in files for jar in _jars_of_file(file)]


def _jars_of_file(file: Path) -> list[str]:
    # A backslash at its end continues a line.
    text = re.sub(r"\\\n[ \t\f]*", "", file.read_text()) if file.is_file() else ""
    return split("".join(_PROPERTY.findall(text)[-1:]))


def _tokens(environment: Mapping[str, str]) -> list[str]:
    return shlex.split(environment.get(_ARGUMENTS, ""))


def _places_of_jars(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    yield from _places(tokens, "--jars")
    for option in ("--conf", "-c"):
        for i, start in _places(tokens, option):
            key = "spark.jars="
            if tokens[i].startswith(key, start):
                yield i, start + len(key)


def _places(tokens: Sequence[str], option: str) -> Iterator[tuple[int, int]]:
    """Finds the values of an option: token and offset. Both `--option value` and `--option=value` are in use."""
    for i, token in enumerate(tokens):
        if token.startswith(f"{option}="):
            yield i, len(option) + 1
        elif i > 0 and tokens[i - 1] == option:
            yield i, 0
