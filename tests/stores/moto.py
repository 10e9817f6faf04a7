"""`moto` as S3 and DynamoDB, behind a front that counts requests and lets some fail."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from threading import Lock, Thread
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
BUCKET = "bucket"
RECORDS = "records"
BUSY = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"

# Answers a request instead of moto, or does not.
Fault = Callable[[WSGIEnvironment], bool]


class Moto:
    """A server on loopback, and the settings with which pylance and boto3 find it."""

    def __enter__(self) -> "Moto":
        import boto3
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        self._app = DomainDispatcherApplication(create_backend_app)
        self._faults: list[Fault] = []
        self._lock = Lock()
        self._one_at_a_time = Lock()
        self.requests: Counter[str] = Counter()
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.port}"
        Thread(target=self._server.serve_forever, daemon=True).start()
        self._saved = dict(os.environ)
        os.environ.update(KEYS | {"AWS_ENDPOINT_URL": self.url, "DYNAMODB_ENDPOINT": self.url})
        self.s3 = boto3.client("s3", endpoint_url=self.url, region_name=KEYS["AWS_REGION"])
        self.s3.create_bucket(Bucket=BUCKET)
        self.dynamodb = boto3.client("dynamodb", endpoint_url=self.url, region_name=KEYS["AWS_REGION"])
        keys = [("base_uri", "HASH", "S"), ("version", "RANGE", "N")]
        self.dynamodb.create_table(
            TableName=RECORDS,
            KeySchema=[{"AttributeName": name, "KeyType": role} for name, role, _ in keys],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, _, kind in keys],
            BillingMode="PAY_PER_REQUEST",
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        os.environ.clear()
        os.environ.update(self._saved)

    @property
    def options(self) -> dict[str, str]:
        """pylance's storage options."""
        return {"aws_endpoint": self.url, "allow_http": "true", "aws_region": KEYS["AWS_REGION"]}

    def keys(self, prefix: str) -> list[str]:
        found = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [each["Key"] for page in found for each in page.get("Contents", [])]

    def records(self, table: str) -> dict[int, str]:
        """Returns the paths of a table's manifests in DynamoDB."""
        items = self.dynamodb.scan(TableName=RECORDS, ConsistentRead=True)["Items"]
        return {int(i["version"]["N"]): i["path"]["S"] for i in items if i["base_uri"]["S"] == table}

    def clear(self, table: str) -> None:
        """Removes all traces of the table."""
        for key in self.keys(f"{table}/"):
            self.s3.delete_object(Bucket=BUCKET, Key=key)
        for version in self.records(table):
            self.dynamodb.delete_item(TableName=RECORDS, Key={"base_uri": {"S": table}, "version": {"N": str(version)}})

    def fail(self, times: int, when: Fault) -> None:
        """The next requests that are so are answered with 503."""
        left = [times]

        def once(request: WSGIEnvironment) -> bool:
            if left[0] and when(request):
                left[0] -= 1
                return True
            return False

        with self._lock:
            self._faults.append(once)

    def pending(self) -> int:
        with self._lock:
            return len(self._faults)

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with self._lock:
            failed = any([fault(environ) for fault in self._faults])
            self.requests[environ["REQUEST_METHOD"]] += 1
            self.requests["503"] += failed
        if failed:
            start_response("503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(BUSY)))])
            return [BUSY]
        # moto looks and puts in two steps, between which another request may do the same: S3 and DynamoDB do so in one.
        with self._one_at_a_time:
            answer: Any = self._app(environ, start_response)
            return answer
