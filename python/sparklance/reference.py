"""References to versions of a table."""

#: A number, the name of a tag or a branch, or a branch (None is the main one) with a number (None is its latest).
Reference = int | str | tuple[str | None, int | None]


def reference_text(reference: Reference | None) -> str | None:
    """Returns a reference in the form that procedures and `VERSION AS OF` take.

    >>> reference_text(3), reference_text("v1"), reference_text(("exp", 4)), reference_text((None, None))
    ('3', 'v1', 'exp:4', 'main')
    """
    if isinstance(reference, tuple):
        branch, version = reference
        return f"{branch or 'main'}:{version}" if version is not None else branch or "main"
    return None if reference is None else str(reference)
