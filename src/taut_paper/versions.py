"""What a result was made with."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from taut import __version__


def versions() -> dict[str, str]:
    """By package; the source of taut beside its version, which changes with every line of it."""
    used = {name: metadata.version(name) for name in ("numpy", "scipy")}
    return {"taut": __version__, "source": source(), **used, "python": platform.python_version()}


@cache
def source() -> str:
    """Identifies the source of taut."""
    root = Path(str(files("taut")))
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:10]
