"""Working directories: each study in a folder has its own, also if two have the same name."""

from pathlib import Path

import fakes
import pytest

from taut.app.run import folders
from taut.app.studyfile.file import load


def other(path: Path, storage: str) -> Path:
    """The same study file, stored elsewhere."""
    copy = path.with_name(f"{storage}.toml")
    copy.write_text(path.read_text().replace("[study]", f'[study]\nstorage = "{storage}.db"'))
    return copy


def test_studies_of_the_same_name(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, initial=1, budget=3)
    for each in (path, other(path, "b"), other(path, "c"), path, other(path, "b")):
        assert fakes.run(each)[0] == 0
    names = {place.name: sorted(each.name for each in place.glob("[0-9]*")) for place in tmp_path.glob("*.runs")}
    assert names == dict.fromkeys(("fake.runs", "fake-2.runs", "fake-3.runs"), ["1-c-1", "1-f-1", "2-c-1", "2-f-1"])
    marks = {place.name: (place / folders.MARK).read_text() for place in tmp_path.glob("*.runs")}
    assert marks == {"fake.runs": "study.db\n", "fake-2.runs": "b.db\n", "fake-3.runs": "c.db\n"}


def test_a_folder_that_was_moved_or_has_no_mark_is_still_the_studys(tmp_path: Path) -> None:
    path = fakes.write(tmp_path / "a", initial=1, budget=3)
    (tmp_path / "a" / "fake.runs" / "1-f-1").mkdir(parents=True)  # of an older version
    assert fakes.run(path)[0] == 0
    (tmp_path / "a").rename(tmp_path / "b")
    assert folders.choose(load(tmp_path / "b" / "study.toml")) == str(tmp_path / "b" / "fake.runs")
    assert (tmp_path / "b" / "fake.runs" / "1-f-2").is_dir()


def test_no_password_is_written_down(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, study='storage = "postgresql://me:secret@host/db?password=secret&options=x"')
    assert folders.owner_of(load(path)) == "postgresql://me:***@host/db?password=***&options=x"


def test_two_that_begin_at_the_same_moment(tmp_path: Path) -> None:
    runs = tmp_path / "x.runs"
    assert folders.new(runs, "a.db", "1-f").name == "1-f-1"
    with pytest.raises(OSError, match="was just taken by the study in 'a.db'; start again"):
        folders.new(runs, "b.db", "1-f")
    assert folders.new(runs, "a.db", "1-f").name == "1-f-2"


def test_tidying_keeps_what_is_there(tmp_path: Path) -> None:
    runs = tmp_path / "x.runs"
    made = folders.new(runs, "a.db", "1-f")
    folders.tidy(str(runs))
    assert made.is_dir() and (runs / folders.MARK).exists()
    made.rmdir()
    folders.tidy(str(runs))
    assert not runs.exists()
