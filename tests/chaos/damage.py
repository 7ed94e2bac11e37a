"""Damages copies of a study at rest: each must be read right, or refused in one clear line."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from chaos.runs import one_line
from chaos.scene import Scene

import taut
from taut.data.rows import Observation, Suggestion

PAGE = 4096

Rows = tuple[tuple[Suggestion, ...], tuple[Observation, ...]]


def flip(content: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 1, 5, 50])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def scramble(content: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(content) // PAGE) * PAGE
    content[start : start + PAGE] = rng.randbytes(PAGE)


def cut(content: bytearray, rng: random.Random) -> None:
    del content[rng.randrange(len(content)) :]


def erase(content: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(content))
    size = len(content[start : start + 512])
    content[start : start + size] = bytes(size)


KINDS: dict[str, Callable[[bytearray, random.Random], None]] = {
    "bits": flip,
    "page": scramble,
    "cut": cut,
    "zeros": erase,
}


def damage(scene: Scene, rng: random.Random, good: Rows, number: int) -> None:
    """Damage a copy of the scene's finished study, read it, and ask for more."""
    folder = scene.folder / f"copy{number}"
    folder.mkdir()
    shutil.copy(scene.path, folder)
    content = bytearray(Path(scene.place).read_bytes())
    kind = rng.choice(["bits", *KINDS])
    KINDS[kind](content, rng)
    database = folder / Path(scene.place).name
    database.write_bytes(content)
    scene.happened(f"damaged-{kind}", f"copy {number}")
    if _reads(scene, f"{kind}, copy {number}", str(database), good):
        _ask(scene, f"{kind}, copy {number}", folder)
    shutil.rmtree(folder)


def _reads(scene: Scene, what: str, place: str, good: Rows) -> bool:
    """Can it be opened, and are its rows right? Notes what must not be."""
    try:
        found = rows(place)
    except taut.TautError as error:
        if "\n" in str(error).strip():
            scene.violated("unclear", f"{what}: {error}")
        return False
    except Exception as error:
        scene.violated("traceback", f"{what}: {type(error).__name__}: {error}")
        return False
    if found != good:
        scene.violated("unnoticed", f"{what}: {_difference(good, found)}")
    return found == good


def _ask(scene: Scene, what: str, folder: Path) -> None:
    """`taut ask` goes on with it, or says in one line what is wrong."""
    log = folder / "log"
    process = scene.nursery.start(["ask", str(folder / scene.path.name)], folder, log, dict(os.environ))
    scene.until(lambda: scene.nursery.ended(process))
    (code, _), text = scene.nursery.ended(process) or (0, 0.0), log.read_text(errors="replace")
    if "Traceback" in text:
        scene.violated("traceback", f"{what}, ask: {text[-500:]}")
    elif code and not (code == 2 and one_line(text)):
        scene.violated("unclear", f"{what}, ask ended with {code}: {text[-500:]}")


def rows(place: str) -> Rows:
    study = taut.Study.open(place)
    return study.suggestions, study.observations


def _difference(good: Rows, found: Rows) -> str:
    for ours, theirs in zip(good, found, strict=True):
        if len(ours) != len(theirs):
            return f"{len(theirs)} rows instead of {len(ours)}"
        for one, other in zip(ours, theirs, strict=True):
            if one != other:
                return f"{other} instead of {one}"
    return "other types"
