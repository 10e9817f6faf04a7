"""Random queries on tables of every file version; Parquet, pylance and a model say what they must answer.

`./dev soak --queries N` is the long form, tests/interop/test_random_queries.py the short one.
"""
