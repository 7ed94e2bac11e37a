"""What the site adds to MkDocs: files of the repository that pages link to, and a check of what was built.

A page keeps the links that are right in the repository (`../CONTRIBUTING.md`, `docs/run.md` in the README). Here they
become links of the site: README.md is its home, `docs/x.md` is `x.md`, everything else keeps its path and is added when
a page links to it.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import links
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
HOME = "README.md"
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*$)", re.DOTALL | re.MULTILINE)


def site_path(path: str) -> str:
    """Of a file of the repository."""
    return "index.md" if path == HOME else path.removeprefix("docs/")


def repository_path(path: str) -> str:
    """Of a file of the site."""
    if path == "index.md":
        return HOME
    return f"docs/{path}" if (ROOT / "docs" / path).exists() else path


def targets(path: str) -> list[str]:
    """The files of the repository that a page of it links to."""
    text = "".join(FENCE.split((ROOT / path).read_text())[::2])
    found = [posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2])) for match in LINK.finditer(text)]
    return [each for each in found if (ROOT / each).is_file()]


def linked(pages: list[str]) -> set[str]:
    """These pages, and all that can be reached from them."""
    found: set[str] = set()
    waiting = list(pages)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += targets(path) if path.endswith(".md") else []
    return found


def on_config(config: Any) -> Any:
    """Leave out of the navigation what is not there yet, and put the examples behind their page."""
    config.nav = pruned(config.nav, lambda path: (ROOT / repository_path(path)).exists())
    for section in config.nav:
        for pages in section.values():
            if isinstance(pages, list) and any("examples.md" in entry.values() for entry in pages):
                pages += [{f"Example: {Path(path).parent.name}": path} for path in examples()]
    return config


def examples() -> list[str]:
    """The pages of the examples that have one."""
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*/README.md"))


def pruned(nav: list[Any], exists: Callable[[str], bool]) -> list[Any]:
    """The same navigation without pages that do not exist."""
    kept: list[Any] = []
    for entry in nav:
        (title, what), *_ = entry.items()
        if isinstance(what, list):
            kept.append({title: pruned(what, exists)})
        elif exists(what):
            kept.append(entry)
    return kept


def on_files(files: Files, config: Any) -> Files:
    """Add what pages link to outside docs/."""
    pages = [f"docs/{each.src_uri}" for each in files.documentation_pages()]
    for path in sorted(linked([HOME, "CHANGELOG.md", *examples(), *pages])):
        if site_path(path) not in files.src_uris:
            files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links of the repository become links of the site; one to a folder becomes its text."""
    here = repository_path(page.file.src_uri)

    def moved(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), match[2]))
        where = posixpath.relpath(site_path(target), posixpath.dirname(page.file.src_uri) or ".")
        return f"{match[1]}{where}{match[3]}"

    parts = FENCE.split(markdown)
    parts[::2] = [LINK.sub(moved, re.sub(r"(?<!!)\[([^\]]+)\]\([^):]+/\)", r"\1", part)) for part in parts[::2]]
    return "".join(parts)


def on_post_build(config: Any) -> None:
    """No page may ask another host for anything, and every link must lead somewhere."""
    folder = Path(config.site_dir)
    for script in folder.glob("assets/javascripts/bundle.*.js"):
        # What old browsers and diagrams would load from elsewhere; we have neither.
        script.write_text(re.sub(r"https://unpkg\.com/[^\"]*", "about:blank", script.read_text()))
    found = links.problems(folder)
    if found:
        raise PluginError("\n".join(found))
