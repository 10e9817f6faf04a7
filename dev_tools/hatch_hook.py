"""Lets `pip install .` build the jar: hatchling calls this before it packs the wheel."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev_tools import artifacts


class JarBuildHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        return artifacts.requirements()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        artifacts.build()
