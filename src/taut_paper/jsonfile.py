"""JSON files that are there as a whole or not at all, whoever writes or is killed meanwhile."""

import json
import secrets
from pathlib import Path
from typing import Any


def read(path: Path) -> Any:
    """What is in a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, content: Any) -> None:
    """Write a file, replacing it in one go; its folder is made if there is none."""
    text = json.dumps(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")  # on a shared disk a process id is not enough
    half.write_text(f"{text}\n", encoding="utf-8")
    half.replace(path)
