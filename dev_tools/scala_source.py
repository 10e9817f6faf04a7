"""Scala source as a checker needs it: without comments and literals, with its templates, members and signatures.

This is no parser. It knows brackets and the few keywords that start a member, which suffices for formatted code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

COMMENT_OR_LITERAL = re.compile(
    r'"""[\s\S]*?"""+|"(?:\\.|[^"\\\n])*"|\'(?:\\[^\'\n]+|[^\'\\\n])\'|/\*[\s\S]*?\*/|//[^\n]*'
)
MODIFIERS = r"(?:(?:override|final|implicit|lazy|sealed|abstract|case|private|protected)(?:\[\w+\])?\s+)*"
MEMBER = re.compile(rf"({MODIFIERS})(def|val|var)\s+(`[^`]+`|\w+|[^\w\s(\[:=]+)")
SIGNATURE = re.compile(r"\b(def|class)\s+(`[^`]+`|\w+)\s*(?:\[[^\]]*\]\s*)?(?:(?:private|protected)(?:\[\w+\])?\s*)?\(")
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Member:
    """A member of a class, trait or object.

    `end` is the position after its name.
    """

    line: int
    modifiers: str
    kind: str
    name: str
    end: int


@dataclass(frozen=True)
class Signature:
    """A method or class with its number of parameters, in all lists together."""

    line: int
    name: str
    parameters: int


def bare(source: str) -> str:
    """Returns the source with blanks for comments and underscores for the text of literals; positions stay."""

    def blank(match: re.Match[str]) -> str:
        text = match[0]
        if text.startswith("/"):
            return re.sub(r"[^\n]", " ", text)
        return '"' + re.sub(r"[^\n]", "_", text[1:-1]) + '"'

    return COMMENT_OR_LITERAL.sub(blank, source)


def members(text: str) -> Iterator[Member]:
    """Returns the members of all templates of a bare source, not those of methods and blocks."""
    templates: list[bool] = []
    opening: int | None = None  # How many brackets are open where a class, trait or object awaits its body.
    at_start = True
    at = 0
    while at < len(text):
        if at_start and templates and templates[-1] and (match := MEMBER.match(text, at)):
            line = text.count("\n", 0, at) + 1
            yield Member(line, match[1], match[2], match[3], match.end())
        char = text[at]
        at_start = char == "\n" or (at_start and char == " ")
        if word := WORD.match(text, at):
            if word[0] in ("class", "object", "trait"):
                opening = len(templates)
            elif word[0] in ("def", "val", "var") and opening == len(templates):
                opening = None
            at = word.end()
            continue
        if char in "([{":
            templates.append(char == "{" and opening == len(templates))
            opening = None if templates[-1] else opening
        elif char in ")]}" and templates:
            templates.pop()
        at += 1


def right_side(text: str, member: Member) -> str | None:
    """Returns what follows the `=` of a member without a type; None if it has a type or no right side."""
    depth = 0
    for at in range(member.end, len(text)):
        char = text[at]
        if depth == 0 and char in ")]}:{":
            return None
        if depth == 0 and char == "=":
            return text[at + 1 :].lstrip().split("\n", 1)[0]
        depth += (char in "([{") - (char in ")]}")
    return None


def signatures(text: str) -> Iterator[Signature]:
    """Returns the methods and classes of a bare source that have parameters."""
    for match in SIGNATURE.finditer(text):
        parameters, at = 0, match.end() - 1
        while at < len(text) and text[at] == "(":
            count, at = _parameters(text, at)
            parameters += count
        yield Signature(text.count("\n", 0, match.start()) + 1, match[2], parameters)


def _parameters(text: str, start: int) -> tuple[int, int]:
    """Returns the number of parameters of the list that opens at `start`, and where the next list may open."""
    depth, names = 0, 0
    for at in range(start, len(text)):
        char = text[at]
        depth += (char in "([{") - (char in ")]}")
        # Each parameter has one colon; types in brackets have theirs further inside.
        names += char == ":" and depth == 1
        if depth == 0:
            rest = text[at + 1 :]
            return names, at + 1 + len(rest) - len(rest.lstrip())
    return names, len(text)
