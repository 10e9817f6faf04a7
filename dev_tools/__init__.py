"""Code that `./dev` and the wheel's build hook share: one way to find Java, run sbt and build the jar."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"


class SetupError(Exception):
    """A set-up that cannot go on. The message says the problem, the cause and the cure."""
