"""One set of trusted certificates for all that is fetched: that of SSL_CERT_FILE, where the user has set it."""

import hashlib
import os
import ssl
import struct
from pathlib import Path

from dev_tools import CACHE, SetupError


def for_python() -> None:
    """pip and requests, which look at a variable of their own."""
    if bundle := os.environ.get("SSL_CERT_FILE"):
        os.environ.setdefault("REQUESTS_CA_BUNDLE", bundle)


def for_java() -> list[str]:
    """Options of the JVM; none if JAVA_TOOL_OPTIONS already names a trust store."""
    bundle = os.environ.get("SSL_CERT_FILE")
    if not bundle or "javax.net.ssl.trustStore" in os.environ.get("JAVA_TOOL_OPTIONS", ""):
        return []
    store = CACHE / "truststore.jks"
    store.parent.mkdir(exist_ok=True)
    store.write_bytes(key_store(Path(bundle)))
    return [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStoreType=JKS"]


def key_store(bundle: Path) -> bytes:
    """The certificates of a PEM bundle as a Java key store ("JKS").

    Written here because `keytool` takes one certificate a start: a minute for a usual bundle.

        magic | version | count | { tag 2 | alias | millis | "X.509" | length | DER }* | SHA-1 of password, salt, these
    """
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    try:
        pems = bundle.read_text(errors="replace").split(begin)[1:]
    except OSError as e:
        raise SetupError(f"SSL_CERT_FILE names a file that cannot be read: {e}. Correct or unset it.") from e
    ders = [ssl.PEM_cert_to_DER_cert(begin + pem.split(end)[0] + end) for pem in pems]
    body = struct.pack(">III", 0xFEEDFEED, 2, len(ders))
    for i, der in enumerate(ders):
        body += struct.pack(">I", 2) + utf(str(i)) + struct.pack(">q", 0)
        body += utf("X.509") + struct.pack(">I", len(der)) + der
    # Without a password given, Java does not check the digest; with "changeit" (the usual one) it does.
    return body + hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def utf(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()
