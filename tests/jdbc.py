"""Spark's Thrift server with the jar, in a process of its own, as `start-thriftserver.sh` starts it."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.connect import wait_for

MAIN = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"


@contextmanager
def server(submit: Path, jar: str, folder: Path, **settings: str) -> Iterator[int]:
    """Gives its port: there may be other servers on this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    conf = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        **settings,
    }
    options = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    hive = {"hive.server2.thrift.bind.host": "127.0.0.1", "hive.server2.thrift.port": str(port)}
    of_hive = [part for key, value in hive.items() for part in ("--hiveconf", f"{key}={value}")]
    command = [
        str(submit),
        "--master",
        "local[2]",
        "--jars",
        jar,
        *options,
        "--class",
        MAIN,
        "spark-internal",
        *of_hive,
    ]
    log = folder / "server.log"
    with log.open("w") as out:
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_for(port, process, log)
        yield port
    finally:
        process.terminate()
        process.wait()
