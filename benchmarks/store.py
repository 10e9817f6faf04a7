"""A read-only S3 on loopback that answers each request late, and counts requests and bytes."""

import re
import time
from collections.abc import Callable
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "bench"


class SlowStore:
    """Serves the files of a folder as the objects of one bucket.

    Args:
        folder: what to serve.
        delay: seconds from a request to its answer; more requests may be under way at the same time.
        fault: answers the request of a part of an object in its own way, and returns True, or leaves it.
    """

    def __init__(self, folder: Path, delay: float, fault: "Fault | None" = None) -> None:
        self.folder = folder
        self.delay = delay
        self.fault = fault
        self.requests = 0
        self.bytes = 0
        self.lock = Lock()

    def __enter__(self) -> "SlowStore":
        handler = type("Handler", (_Handler,), {"store": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()

    def forget(self) -> None:
        self.requests = self.bytes = 0


class _Handler(BaseHTTPRequestHandler):
    store: SlowStore
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.serve(body=False)

    def do_GET(self) -> None:
        self.serve(body=True)

    def serve(self, body: bool) -> None:
        time.sleep(self.store.delay)
        url = urlsplit(self.path)
        _, _, key = unquote(url.path).lstrip("/").partition("/")
        if not key:
            self.answer(200, listing(self.store.folder, parse_qs(url.query)), {"Content-Type": "application/xml"})
        elif (file := self.store.folder / key).is_file():
            self.object(file, body)
        else:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>" if body else b"")

    def object(self, file: Path, body: bool) -> None:
        size = file.stat().st_size
        about = {"ETag": etag(file), "Last-Modified": formatdate(file.stat().st_mtime, usegmt=True)}
        if not (wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))):
            return self.answer(200, file.read_bytes() if body else b"", about, size)
        if body and self.store.fault and self.store.fault(self, file):
            return None
        if self.headers.get("If-Match", etag(file)) != etag(file):
            return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>" if body else b"")
        first = int(wanted[1])
        last = min(int(wanted[2] or size - 1), size - 1)
        length = last - first + 1
        self.answer(206, b"", about | {"Content-Range": f"bytes {first}-{last}/{size}"}, length)
        if body:
            self.wfile.flush()
            # The kernel copies, so that the store takes little of the time that is measured.
            with file.open("rb") as stream:
                self.count(0, self.connection.sendfile(stream, first, length))
        return None

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None, size: int | None = None) -> None:
        self.count(1, len(body))
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if size is None else size))
        self.end_headers()
        self.wfile.write(body)

    def count(self, requests: int, length: int) -> None:
        with self.store.lock:
            self.store.requests += requests
            self.store.bytes += length


# Gets the request of a part of an object, and the object's file.
Fault = Callable[[_Handler, Path], bool]


def etag(file: Path) -> str:
    about = file.stat()
    return f'"{about.st_size:x}-{about.st_mtime_ns:x}"'


def listing(folder: Path, query: dict[str, list[str]]) -> bytes:
    """ListObjectsV2, all keys at once."""
    prefix, delimiter = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
    keys, prefixes = [], set()
    base = folder / prefix.rpartition("/")[0]
    for file in sorted(base.rglob("*")) if base.is_dir() else []:
        key = str(file.relative_to(folder))
        if not file.is_file() or not key.startswith(prefix):
            continue
        rest = key[len(prefix) :]
        if delimiter and delimiter in rest:
            prefixes.add(prefix + rest[: rest.index(delimiter) + 1])
        else:
            keys.append((key, file.stat()))
    found = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{stat.st_size}</Size>"
        f"<ETag>&quot;{stat.st_size:x}-{stat.st_mtime_ns:x}&quot;</ETag>"
        f"<LastModified>{time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(stat.st_mtime))}</LastModified></Contents>"
        for key, stat in keys
    )
    found += "".join(f"<CommonPrefixes><Prefix>{escape(p)}</Prefix></CommonPrefixes>" for p in sorted(prefixes))
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>".encode()
