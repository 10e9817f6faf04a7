"""Names of columns, tables and catalogs, as SQL writes them."""

import re

# A part in backticks, in which a backtick is written twice, or any text without a dot.
_PART = re.compile(r"`((?:[^`]|``)+)`(?=\.|$)|([^.]+)(?=\.|$)")


def quoted(*parts: str) -> str:
    """Returns a name of parts in backticks.

    >>> quoted("lance", "/data/a`b")
    '`lance`.`/data/a``b`'
    """
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def parts_of(path: str) -> list[str]:
    """Returns the names in a path: dots separate them, and a part in backticks may have dots.

    >>> parts_of("s.user id"), parts_of("`a.b`.c")
    (['s', 'user id'], ['a.b', 'c'])
    """
    parts, at = [], 0
    while found := _PART.match(path, at):
        inner, plain = found.groups()
        parts.append(plain if inner is None else inner.replace("``", "`"))
        at = found.end() + 1
    # A text that is no path, such as one that ends with a dot, is a name as it stands.
    return parts if at == len(path) + 1 else [path]


def column(path: str, of: str | None = None) -> str:
    """Returns the path of a column with each part in backticks, and before it the table's alias.

    >>> column("user id", of="target"), column("s.`a.b`")
    ('target.`user id`', '`s`.`a.b`')
    """
    name = quoted(*parts_of(path))
    return name if of is None else f"{of}.{name}"
