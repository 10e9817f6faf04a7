"""Jars and settings with which Spark reaches a server that speaks S3."""

from pathlib import Path

import pyspark

from tests.stores.moto import KEYS

# The AWS SDK of each Hadoop; its bundle, which hadoop-aws asks for, has hundreds of megabytes more.
SDK = {"3.4.1": "2.24.6", "3.4.2": "2.29.52", "3.5.0": "2.35.4"}


def hadoop() -> str:
    """The version of Spark's Hadoop."""
    jars = Path(pyspark.__file__).parent / "jars"
    return next(jars.glob("hadoop-client-api-*.jar")).stem.removeprefix("hadoop-client-api-")


def settings(url: str) -> dict[str, str]:
    """Settings of a session that reads and writes `s3a://…` on the server at `url`."""
    modules = ("s3", "s3-transfer-manager", "sts", "dynamodb")
    packages = [f"software.amazon.awssdk:{name}:{SDK[hadoop()]}" for name in modules]
    own = {
        "endpoint": url,
        "endpoint.region": KEYS["AWS_REGION"],
        "path.style.access": "true",
        "access.key": KEYS["AWS_ACCESS_KEY_ID"],
        "secret.key": KEYS["AWS_SECRET_ACCESS_KEY"],
    }
    return {f"spark.hadoop.fs.s3a.{name}": value for name, value in own.items()} | {
        "spark.jars.packages": ",".join([f"org.apache.hadoop:hadoop-aws:{hadoop()}", *packages]),
        # Libraries that Spark ships keep Spark's versions.
        "spark.jars.excludes": "software.amazon.awssdk:bundle,org.slf4j:slf4j-api,commons-logging:commons-logging",
    }
