"""Searches for vectors and texts: options of reads, queries, and searches that are put together step by step."""

from sparklance.search.options import fuse

__all__ = ["fuse"]
