"""Checks a built site: every internal link and anchor leads somewhere, and nothing is asked of another host.

    python website/links.py site

External links are only followed by readers; they are not checked here, because that would need the network.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "link": "href"}
"""Attributes that make a browser fetch something by itself."""
FETCHES = re.compile(r"url\(\s*['\"]?(https?:)?//|@import\s+['\"](https?:)?//")


class Page(HTMLParser):
    """Names that can be linked to, links, and what is loaded."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.names |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and LOADED[tag] in found and found.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(found[LOADED[tag]])


def problems(folder: Path) -> list[str]:
    """One line for everything that is wrong with the site in this folder."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if path.name != "404.html"}
    found = [problem for path, page in pages.items() for problem in _page(folder, path, page, pages)]
    for path in sorted(folder.rglob("*.css")):
        if FETCHES.search(path.read_text()):
            found.append(f"{path.relative_to(folder)}: fetches something from another host")
    for path in sorted(folder.rglob("*.js")):
        if re.search(r"https?://(unpkg|cdn|fonts|cdnjs|esm)\b", path.read_text()):
            found.append(f"{path.relative_to(folder)}: names a host that gives out scripts or fonts")
    return found


def _page(folder: Path, path: Path, page: Page, pages: dict[Path, Page]) -> list[str]:
    here = path.relative_to(folder)
    found = [f"{here}: loads {each} from another host" for each in page.loaded if urlsplit(each).netloc]
    for link in page.links + page.loaded:
        if urlsplit(link).scheme or urlsplit(link).netloc:
            continue
        name, anchor = urldefrag(unquote(link))
        target = (path.parent / name).resolve() if name else path
        if target.is_dir():
            target = target / "index.html"
        if not target.exists():
            found.append(f"{here}: {link} does not exist")
        elif target in pages and anchor not in pages[target].names:
            found.append(f"{here}: {link} has no such anchor")
    return found


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "every link leads somewhere, and nothing is fetched from elsewhere")
    sys.exit(bool(wrong))
