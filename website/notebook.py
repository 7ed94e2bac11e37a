"""Runs a Python file of cells as a notebook would, and prints it as a page with what came out.

    python website/notebook.py website/tutorial.py docs/tutorial.md

A cell begins with `# %%`; one that begins with `# %% [markdown]` is text, in comments. What a cell prints is shown
below it; if it leaves axes in `ax`, they are drawn into a folder beside the page.
"""

import contextlib
import io
import re
import sys
from pathlib import Path
from typing import Any


def cells(source: str) -> list[tuple[bool, str]]:
    """(is it text?, its content without the mark) of every cell."""
    parts = re.split(r"^# %%(.*)\n", source, flags=re.MULTILINE)[1:]
    found = []
    for mark, body in zip(parts[::2], parts[1::2], strict=True):
        text = "[markdown]" in mark
        found.append((text, re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip() if text else body.strip()))
    return found


def page(source: str, path: Path) -> str:
    """The page, after every cell was run; pictures are written beside it."""
    names: dict[str, Any] = {"__name__": "__notebook__"}
    out: list[str] = []
    for text, body in cells(source):
        if text:
            out.append(body)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(body, str(path), "exec"), names)
        out.append(f"```python\n{body}\n```")
        if printed.getvalue():
            out.append(f"```text\n{printed.getvalue().rstrip()}\n```")
        if (ax := names.pop("ax", None)) is not None:
            out.append(_picture(ax, path, len(out)))
    return "\n\n".join(out) + "\n"


def _picture(ax: Any, path: Path, number: int) -> str:
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    name = f"{number}.svg"
    ax.figure.savefig(folder / name, bbox_inches="tight", metadata={"Date": None})
    return f"![What the cell above draws]({folder.name}/{name})"


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.write_text(page(source.read_text(), target))
