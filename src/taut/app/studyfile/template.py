"""The files that `taut init` writes, beside this module in the folder template: a study that runs as it is."""

import os
from pathlib import Path

from taut.app.studyfile.text import reason, refused
from taut.base.errors import listed

FOLDER = Path(__file__).with_suffix("")
NAMES = ("study.toml", "stress.py", "deflection.py")


def content(name: str) -> bytes:
    """Of one of the files. It is kept with .txt behind its name, so that no tool takes it for a part of taut."""
    return (FOLDER / f"{name}.txt").read_bytes()


def write(folder: str) -> list[Path]:
    """Write the example into a folder, made if need be. Nothing is overwritten: either all of it is new, or none."""
    place = Path(folder)
    try:
        taken = [name for name in NAMES if os.path.lexists(place / name)]
        if taken:
            expected = f"a folder without {listed(taken)}"
            raise refused(repr(folder), expected, "one that has it", "give another folder: taut init NAME")
        place.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            with (place / name).open("xb") as file:  # x: nor what appeared a moment ago
                file.write(content(name))
    except (OSError, ValueError) as error:
        got = f"one that cannot be made or written ({reason(error)})"
        raise refused(repr(folder), "a folder to write to", got, "give another folder: taut init NAME") from error
    return [place / name for name in NAMES]
