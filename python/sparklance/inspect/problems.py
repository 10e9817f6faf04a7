"""Collects errors in one sentence each, so that the rest can be shown."""

from collections.abc import Callable
from typing import Any

from sparklance.errors import LanceException


class Problems(list[str]):
    """Problems so far."""

    def guard(self, fallback: dict[str, Any], read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Returns the result of `read`, or the fallback with the problem as its `error`."""
        try:
            return read()
        except (LanceException, OSError) as e:
            self.append(message_of(e))
            return fallback | {"error": message_of(e)}


def message_of(error: LanceException | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Is the path right, and may you read it?"
    return str(error)
