"""A hook of MkDocs: adds the changelog, which lies beside the pages, to the site, and leaves the records out."""

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from dev_tools import ROOT

CHANGELOG = "changelog.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds CHANGELOG.md as a page; its links to `docs/…` become links between pages."""
    text = (ROOT / "CHANGELOG.md").read_text()
    files.append(File.generated(config, CHANGELOG, content=re.sub(r"\]\(docs/", "](", text)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Points the pages' links to the changelog at that page, and names records, which only the repository has."""
    linked = re.sub(r"\]\((?:\.\./)+CHANGELOG\.md", f"]({CHANGELOG}", markdown)
    return re.sub(r"\[([^\[\]]+)\]\((?:\.\./)+(records/\w+\.md)[^)]*\)", r"\1 (`\2` in the repository)", linked)
