"""Packages that only some methods need: the extras of pyproject.toml."""

from importlib.util import find_spec


def require(extra: str, *packages: str) -> None:
    """Fails if a package is not installed that an extra brings."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ImportError(
            f"This needs {' and '.join(missing)}, not installed here. Run: pip install 'sparklance[{extra}]'"
        )
