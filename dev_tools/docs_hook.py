"""A hook of MkDocs: adds the changelog, which lies beside the pages, to the site, and leaves the records out."""

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from dev_tools import ROOT

CHANGELOG = "changelog.md"
#: Pages that searches of the site show before others.
GUIDES = ("tutorial.md", "how-to/")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds CHANGELOG.md as a page; its links to `docs/…` become links between pages."""
    text = (ROOT / "CHANGELOG.md").read_text()
    files.append(File.generated(config, CHANGELOG, content=re.sub(r"\]\(docs/", "](", text)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Leads links to the changelog to that page, names records, which the site lacks, and ranks guides first."""
    if page.file.src_uri.startswith(GUIDES):
        page.meta["search"] = {"boost": 3}
    linked = re.sub(r"\]\((?:\.\./)+CHANGELOG\.md", f"]({CHANGELOG}", markdown)
    return re.sub(r"\[([^\[\]]+)\]\((?:\.\./)*(records/[\w-]+\.md)[^)]*\)", r"\1 (`\2` in the repository)", linked)
