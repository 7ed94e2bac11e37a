"""A study that has begun, for the tests that only look at it."""

from pathlib import Path

import pytest
from studies import GOOD, done


@pytest.fixture(scope="session")
def study(folder: Path) -> str:
    """Two suggestions told, a third pending, and one value measured elsewhere."""
    place = folder / "looking"
    place.mkdir()
    path = place / "study.toml"
    path.write_text(GOOD.replace('command = ["python", "stress.py"]\ntimeout = 3600\nretries = 1\n', ""))
    for _ in range(3):
        done("ask", str(path))
    done("tell", str(path), "1", "mass=1.5")
    done("tell", str(path), "2", "stress=fail", "--note", "no\nconvergence, sorry")
    (place / "data.csv").write_text("width,height,mass,lift\n2,1,3.5,0.75\n")
    done("add", str(path), str(place / "data.csv"))
    return str(path)


@pytest.fixture(scope="session")
def begun_folder(folder: Path) -> Path:
    """A folder with a study that has begun."""
    place = folder / "malformed"
    (place / "folder").mkdir(parents=True)
    (place / "link").symlink_to("/tmp")
    (place / "good.toml").write_text(GOOD)
    done("ask", str(place / "good.toml"))
    done("tell", str(place / "good.toml"), "1", "mass=1.5")
    return place
