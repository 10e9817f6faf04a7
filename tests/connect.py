"""A server of Spark Connect with the jar, in a process of its own, as `start-connect-server.sh` starts it."""

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def server(
    submit: Path, jar: str, folder: Path, env: Mapping[str, str], master: str = "local[2]", **settings: str
) -> Iterator[str]:
    """Gives its address, at a port of its own: there may be other servers on this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    conf = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        **{f"spark.{name.replace('_', '.')}": value for name, value in settings.items()},
    }
    options = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    command = [str(submit), "--master", master, "--jars", jar, *options, "--class", MAIN, "spark-internal"]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_for(port, process, folder / "server.log")
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")
