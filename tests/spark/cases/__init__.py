"""Statements of docs/sql.md with the steps that show their outcome: a module a topic."""
