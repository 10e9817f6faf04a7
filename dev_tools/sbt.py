"""Runs sbt: the launcher is fetched once, its version is that of `project/build.properties`."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dev_tools import CACHE, ROOT, SetupError, java, trust

#: Tasks that check the format of Scala.
FORMATS = ["scalafmtCheckAll", "scalafmtSbtCheck"]


def run(*arguments: str) -> int:
    """sbt with these arguments, from the root of the checkout; gives its exit code."""
    return subprocess.run(command(arguments), cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL).returncode


def command(arguments: Sequence[str]) -> list[str]:
    """Returns sbt's command. As in its own script, options of the JVM (-D…, -X…) may stand among the arguments."""
    options = [a for a in arguments if a.startswith(("-D", "-X"))]
    commands = [a for a in arguments if a not in options]
    return [
        str(java.required() / "bin" / "java"),
        "-Xmx2g",
        "-Xss4m",
        # A compilation is over before C2 pays: with these, it takes half of the processor time.
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        *java.ROOM,
        # A heap that grows is collected in full at each step.
        "-Xms1g",
        # Two sbt in one checkout would stop with a question about their server, which nobody may be there to answer.
        "-Dsbt.server.autostart=false",
        "-Dsbt.server.forcestart=true",
        *trust.for_java(),
        *options,
        "-jar",
        str(launcher()),
        *commands,
    ]


def environment() -> dict[str, str]:
    """Forked test JVMs take the same Java as sbt. Its sockets go where users of one machine do not meet."""
    sockets = Path(tempfile.gettempdir(), f"sbt-{os.getuid()}")
    return {"XDG_RUNTIME_DIR": str(sockets)} | os.environ | {"JAVA_HOME": str(java.required())}


def version() -> str:
    lines = (ROOT / "project" / "build.properties").read_text().splitlines()
    return next(line.split("=", 1)[1].strip() for line in lines if line.startswith("sbt.version"))


def launcher() -> Path:
    """The launcher's jar, from Maven Central if it is not here yet. Its SHA-1 is checked against the published one."""
    jar = CACHE / f"sbt-launch-{version()}.jar"
    if not jar.exists():
        jar.parent.mkdir(exist_ok=True)
        part = jar.with_suffix(f".{os.getpid()}")
        fetch(f"org.scala-sbt:sbt-launch:{version()}", part)
        part.rename(jar)
    return jar


def fetch(coordinate: str, to: Path) -> None:
    from maven_artifact.artifact import Artifact
    from maven_artifact.downloader import Downloader
    from maven_artifact.requestor import RequestException

    trust.for_python()
    try:
        artifact, downloader = Artifact.parse(coordinate), Downloader()
        downloader.download(artifact, str(to))
        url = downloader.resolver.uri_for_artifact(artifact)
        genuine = downloader.verify_file(str(to), url, hash_type="sha1")
    except RequestException as e:
        raise SetupError(f"{coordinate} could not be fetched: {e.msg} Check the network and try again.") from e
    if not genuine:
        to.unlink()
        raise SetupError(f"{coordinate} arrived damaged: its SHA-1 is not the published one. Try again.")
