"""The files that `taut init` writes, beside this module in the folder template: a study that runs as it is."""

import os
from pathlib import Path

from taut.base.errors import StudyFileError, listed

FOLDER = Path(__file__).with_suffix("")
NAMES = ("study.toml", "mass.py", "stress.py")


def write(folder: str) -> list[Path]:
    """Write the example into a folder, made if need be. Nothing is overwritten: either all of it is new, or none."""
    place = Path(folder)
    try:
        taken = [name for name in NAMES if os.path.lexists(place / name)]
        if taken:
            raise StudyFileError(
                f"{folder!r}: expected a folder without {listed(taken)}, got one that has it; give another folder: "
                "taut init NAME."
            )
        place.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            with (place / name).open("xb") as file:  # x: nor what appeared a moment ago
                file.write((FOLDER / name).read_bytes())
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise StudyFileError(
            f"{folder!r}: expected a folder to write to, got one that cannot be made or written ({why}); give another "
            "folder: taut init NAME."
        ) from error
    return [place / name for name in NAMES]
