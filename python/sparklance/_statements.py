"""Runs statements for the package's methods: names them in Spark's UI, raises our errors, ends them on Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from sparklance import _jvm
from sparklance.errors import lance_errors

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_jvm.let_interrupts_cancel()

_PACKAGE = f"{Path(__file__).parent}/"
_CANCEL_EVERY = 0.2


@contextmanager
def running(spark: SparkSession) -> Iterator[None]:
    """Runs a block that is one or more of Spark's statements.

    In a classic session, Spark's UI shows them with the method and the line that called it. Ctrl-C cancels their jobs
    and waits for their end, so that nothing is committed after the `KeyboardInterrupt`; a second Ctrl-C does not wait.
    Spark Connect's client does both by itself.
    """
    context = _jvm.classic_context(spark)
    with lance_errors():
        if context is None:
            yield
        else:
            with _jvm.called_from(context, call_site()), _ended_by_interrupts(context):
                yield


def call_site() -> str:
    """Returns the outermost method of the package on the stack, with the line that calls it."""
    method: FrameType | None = None
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            method = frame
        frame = frame.f_back
    assert method is not None
    name = method.f_code.co_qualname
    if name.endswith((".__init__", ".__new__")):
        name = "LanceDataset"
    caller = method.f_back
    return name if caller is None else f"{name} at {caller.f_code.co_filename}:{caller.f_lineno}"


@contextmanager
def _ended_by_interrupts(context: SparkContext) -> Iterator[None]:
    """Cancels the block's jobs when the user interrupts it, and raises the interrupt at its end.

    py4j has one connection for each thread, and a handler cannot use that of a call that is running. If it raised the
    interrupt at once, it would leave that call behind, and its commit with it. So another thread cancels.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not _raises_interrupt(before):
        yield
        return
    tag, ended, interrupts = f"sparklance-{uuid.uuid4().hex}", threading.Event(), []

    def handle(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt
        threading.Thread(target=_cancel, args=(context, tag, ended), daemon=True).start()

    context.addJobTag(tag)
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        ended.set()
        context.removeJobTag(tag)
        if interrupts:
            raise KeyboardInterrupt from None


def _cancel(context: SparkContext, tag: str, ended: threading.Event) -> None:
    """Cancels jobs with this tag until the block has ended: it may begin further ones."""
    while not ended.is_set():
        context.cancelJobsWithTag(tag)
        ended.wait(_CANCEL_EVERY)


def _raises_interrupt(handler: Callable[[int, FrameType | None], Any] | int | None) -> bool:
    """Whether it is Python's or PySpark's handler. A program with another one decides for itself what Ctrl-C does."""
    return handler is signal.default_int_handler or getattr(handler, "__module__", "").startswith("pyspark.")
