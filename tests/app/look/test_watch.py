"""A study as a live page sees it: new values, and a storage that goes away, comes back or is another one."""

import hashlib
import re
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from shown import FILE, FUNCTIONS, sound

import taut
from taut.app.look.watch import SLOW, Watch
from taut.app.studyfile.file import load, open_study
from taut.plot.gather import beliefs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "study.toml"
    place.write_text(FILE.format(method="random", seed=0))
    return place


def tell(path: Path, count: int = 1) -> taut.Study:
    study = open_study(load(path))
    for _ in range(count):
        asked = study.ask()
        study.tell(asked, {name: FUNCTIONS[name](asked.point) for name in asked.functions})
    return study


def waited(until: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.02)
    return False


def test_a_study_that_has_not_begun_is_not_begun_by_looking(path: Path) -> None:
    watch = Watch(load(path))
    watch.look()
    assert watch.state.said == "not started yet" and "now" in watch.state.parts
    assert [each.name for each in path.parent.iterdir()] == ["study.toml"]
    version = watch.state.version
    watch.look()
    assert watch.state.version == version, "nothing has changed"
    tell(path)
    watch.look()
    assert watch.state.known.values == 2 and not watch.state.trouble


def test_new_values_change_the_parts_that_show_them(path: Path) -> None:
    tell(path, 2)
    watch = Watch(load(path))
    watch.look()
    before = watch.state.digests
    study = tell(path)
    watch.look()
    after = watch.state.digests
    assert {key for key in after if after[key] != before[key]} >= {"now", "money", "decisions"}
    assert after["failures"] == before["failures"]
    sound(watch.page())
    assert str(study.observations[-1].suggestion) in watch.state.parts["now"]


def test_looking_changes_nothing(path: Path) -> None:
    tell(path, 8)
    place = path.with_name("bracket.db")
    before = hashlib.sha256(place.read_bytes()).hexdigest()
    watch = Watch(load(path))
    watch.look()
    watch.page()
    answer = watch.what_if({"stress": {"at_most": 300.0}})
    assert "mass =" in answer and "feasible with" in answer
    assert hashlib.sha256(place.read_bytes()).hexdigest() == before


def test_a_wrong_question_is_refused(path: Path) -> None:
    tell(path, 3)
    with pytest.raises(taut.TautError, match="nobody"):
        Watch(load(path)).what_if({"nobody": {"at_most": 1.0}})


def test_a_storage_that_vanishes_and_comes_back(path: Path) -> None:
    tell(path, 2)
    place, kept = path.with_name("bracket.db"), path.with_name("kept")
    watch = Watch(load(path))
    watch.look()
    shown = watch.state.parts["now"]
    shutil.copy(place, kept)
    for each in path.parent.glob("bracket.db*"):
        each.unlink()
    watch.look()
    assert watch.state.trouble or not watch.state.started
    assert "now" in watch.state.parts, "there is still a page"
    place.write_bytes(b"this is no database" * 100)
    watch.look()
    watch.look()
    assert "bracket.db" in watch.state.trouble
    shutil.copy(kept, place)
    watch.look()
    assert not watch.state.trouble and watch.state.parts["now"] == shown


def test_what_the_models_said_outlives_a_moment_of_trouble(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = beliefs(tell(path, 2))
    watch = Watch(load(path))
    watch.look()
    watch._publish(lambda old: replace(old, found=found))

    def locked(self: taut.Study) -> None:
        raise taut.StorageError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(taut.Study, "history", property(locked))
        watch.look()
        assert watch.state.trouble == "database is locked" and watch.state.found is found
    watch.look()
    assert not watch.state.trouble and watch.state.found is found


def test_another_study_in_its_place(path: Path) -> None:
    tell(path, 4)
    watch = Watch(load(path))
    watch.look()
    for each in path.parent.glob("bracket.db*"):
        each.unlink()
    path.write_text(FILE.format(method="random", seed=7))
    other = tell(path, 1)
    assert waited(lambda: [watch.look(), watch.state.known.values == 2][1] is True)
    assert watch.state.known.seed == 7 == other.seed and watch.state.found is None


def test_another_study_with_as_many_rows(path: Path) -> None:
    tell(path, 3)
    watch = Watch(load(path))
    watch.look()
    before, mine = watch.state, path.with_name("bracket.db")
    assert before.known.latest
    other = path.with_name("other") / "study.toml"
    other.parent.mkdir()
    other.write_text(path.read_text())
    study = open_study(load(other))
    for _ in range(3):
        study.tell(study.ask(), {"mass": 77.0, "stress": 1.0})
    shutil.copy(other.with_name("bracket.db"), mine)
    watch.look()
    assert watch.state.known.latest[0].value in (77.0, 1.0) and not watch.state.trouble


def test_a_study_that_came_back_is_shown_again(path: Path) -> None:
    tell(path, 2)
    place, away = path.with_name("bracket.db"), path.with_name("away")
    watch = Watch(load(path))
    watch.look()
    shown = watch.state.parts["now"]
    place.rename(away)
    watch.look()
    assert watch.state.trouble or not watch.state.started
    watch.look()
    away.rename(place)
    watch.look()
    assert watch.state.parts["now"] == shown and watch.state.started and not watch.state.trouble


def test_models_that_were_slow_neither_hide_new_values_nor_speak_of_another_study(path: Path) -> None:
    found = beliefs(tell(path, 2))
    assert found is not None
    watch = Watch(load(path))
    watch.look()
    turn = watch._turn
    with watch._lock:  # as while the other thread renders
        late = threading.Thread(target=watch._believe, args=(found, turn))
        late.start()
        time.sleep(0.02)
        watch.state = replace(watch.state, known=replace(watch.state.known, values=99))
    late.join()
    assert watch.state.found is found and watch.state.known.values == 99
    for each in path.parent.glob("bracket.db*"):
        each.unlink()
    path.write_text(FILE.format(method="random", seed=7))
    tell(path, 1)
    assert waited(lambda: [watch.look(), watch.state.known.values == 2][1] is True)
    watch._believe(found, turn)
    assert watch.state.found is None, "of the study that is gone"


def test_other_limits_are_asked_of_the_study_that_is_there(path: Path) -> None:
    tell(path, 3)
    watch = Watch(load(path))
    watch.look()
    watch.what_if({"stress": {"at_most": 120.0}})
    for each in path.parent.glob("bracket.db*"):
        each.unlink()
    path.write_text(FILE.format(method="random", seed=7).replace("high = 100.0", "high = 11.0"))
    tell(path, 3)
    assert waited(lambda: [watch.look(), watch.state.known.seed == 7][1] is True)
    answer = sound(watch.what_if({"stress": {"at_most": 120.0}})).text
    height = re.search(r"height = ([0-9.]+)", answer)
    assert height is not None and float(height[1]) <= 11.0


def test_models_are_asked_while_somebody_looks(path: Path) -> None:
    tell(path, 3)
    watch = Watch(load(path), pause=0.02)
    watch.viewers = 1
    watch.start()
    try:
        assert waited(lambda: watch.state.found is not None)
        first = watch.state
        assert "being asked" not in first.said and "Being computed" not in first.parts["answer"]
        tell(path)
        assert waited(lambda: watch.state.known.values == first.known.values + 2)
    finally:
        watch.stop()


def test_a_storage_that_does_not_answer_is_spoken_of(path: Path) -> None:
    watch = Watch(load(path))
    watch.look()
    assert watch.trouble == ""
    watch._began = time.monotonic() - 2.0 * SLOW
    assert "locked or slow" in watch.trouble


def test_a_study_of_formulas_has_an_answer(path: Path) -> None:
    text = path.read_text().replace('goal = "minimize"', 'goal = "minimize"\nformula = "width * height"')
    path.write_text(text.replace("cost = 5", 'formula = "-width"'))
    open_study(load(path))
    watch = Watch(load(path), pause=0.02)
    watch.viewers = 1
    watch.start()
    try:
        assert waited(lambda: watch.state.found is not None)
        assert "by its formula" in sound(watch.state.parts["answer"]).text
    finally:
        watch.stop()
