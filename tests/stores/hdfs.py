"""HDFS on loopback: one NameNode and one DataNode, from Hadoop's jar for mini-clusters."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pyspark

from dev_tools import CACHE, java, sbt

SETTINGS = {
    "dfs.datanode.address": "127.0.0.1:0",
    "dfs.datanode.http.address": "127.0.0.1:0",
    "dfs.datanode.ipc.address": "127.0.0.1:0",
    "dfs.namenode.datanode.registration.ip-hostname-check": "false",
    "dfs.replication": "1",
    "dfs.permissions.enabled": "false",
    "dfs.namenode.safemode.extension": "0",
    # Some disks are nearly full; tests write little.
    "dfs.datanode.du.reserved": "0",
    "dfs.namenode.resource.du.reserved": "0",
}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Hdfs:
    def __init__(self, directory: Path, version: str) -> None:
        self._directory = directory
        self._jar = CACHE / f"hadoop-client-minicluster-{version}.jar"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.url = f"hdfs://127.0.0.1:{free_port()}"
        self._web = f"127.0.0.1:{free_port()}"

    def __enter__(self) -> "Hdfs":
        if not self._jar.exists():
            CACHE.mkdir(exist_ok=True)
            part = self._jar.with_suffix(f".{os.getpid()}")
            sbt.fetch(
                f"org.apache.hadoop:{self._jar.stem.rpartition('-')[0]}:{self._jar.stem.rpartition('-')[2]}", part
            )
            part.rename(self._jar)
        own = {"fs.defaultFS": self.url, "dfs.namenode.http-address": self._web}
        settings = SETTINGS | own | {"hadoop.tmp.dir": str(self._directory / "tmp")}
        rows = [f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items()]
        for name in ("core-site.xml", "hdfs-site.xml"):
            (self._directory / name).write_text(f"<configuration>{''.join(rows)}</configuration>")
        subprocess.run(self._command("namenode.NameNode", "-format", "-force"), check=True, capture_output=True)
        self._processes = [self._start("namenode.NameNode"), self._start("datanode.DataNode")]
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def _wait(self) -> None:
        """Until the NameNode takes writes, for which it needs the DataNode."""
        query = f"http://{self._web}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
        for _ in range(600):
            try:
                with urllib.request.urlopen(query, timeout=5) as answer:
                    state = json.load(answer)["beans"][0]
                if state["FSState"] == "Operational" and state["NumLiveDataNodes"] == 1:
                    return
            except (OSError, IndexError, ValueError):
                pass
            if any(process.poll() is not None for process in self._processes):
                break
            time.sleep(0.5)
        logs = "".join(log.read_text() for log in self._directory.glob("*.log"))
        raise AssertionError(f"HDFS did not start: {logs}")

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        with (self._directory / f"{name}.log").open("ab") as log:
            return subprocess.Popen(self._command(name), stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def _command(self, name: str, *arguments: str) -> list[str]:
        sparks = Path(pyspark.__file__).parent / "jars"
        patterns = (
            "hadoop-client-*.jar",
            "slf4j-api-*.jar",
            "log4j-*.jar",
            "jcl-*.jar",
            "*jaxb*.jar",
            "*activation*.jar",
        )
        jars = [path for pattern in patterns for path in sparks.glob(pattern)]
        places = os.pathsep.join(map(str, [self._directory, self._jar, *jars]))
        program = str(java.required() / "bin" / "java")
        return [program, "-Xmx256m", "-cp", places, f"org.apache.hadoop.hdfs.server.{name}", *arguments]
