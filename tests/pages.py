"""The pages of the documentation and the code that stands in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"


def blocks(page: Path, language: str) -> list[str]:
    """The text of every fenced block in this language, in the order of the page."""
    found = re.findall(rf"^```{re.escape(language)}(?: [^\n]*)?\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    return [str(text) for text in found]


def block(page: Path, language: str, mark: str) -> str:
    """The one block in this language with these words in it."""
    found = [text for text in blocks(page, language) if mark in text]
    assert len(found) == 1, f"{page.name}: {len(found)} blocks with {mark!r}"
    return found[0]


def titled(page: Path) -> dict[str, str]:
    """The blocks that have a name, as files to be written: ```python title="stress.py"."""
    found = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', page.read_text(), re.DOTALL | re.MULTILINE)
    return {str(name): str(text) for name, text in found}


def printing(page: Path) -> list[tuple[str, str | None]]:
    """The Python without a name, each with the ```text block that follows directly as what it prints."""
    pattern = r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?"
    return [(code, said or None) for code, said in re.findall(pattern, page.read_text(), re.DOTALL | re.MULTILINE)]


def without_numbers(text: str) -> list[str]:
    """What stays the same whatever was found."""
    return re.sub(
        r"-?\d+(\.\d+)?(e[+-]\d+)?", "0", re.sub("binding|irrelevant|undecided", "verdict", text)
    ).splitlines()
