"""Processes of pylance, of Spark and of our core alone change one table at the same time; a model checks every version.

`./dev soak` is the long form, tests/interop/test_committers.py the short one.
"""
