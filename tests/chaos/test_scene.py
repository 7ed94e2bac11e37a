"""What counts as a hang."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest
from chaos import scene as module
from chaos import trial
from chaos.runs import waiting_for_processor
from chaos.scene import Hang, Scene, Setting
from chaos.trial import Trial


@contextmanager
def child(script: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", f"print(flush=True)\n{script}"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def scene(folder: Path) -> Scene:
    return Scene(folder, Setting(0, limit=0.2), Mock(), "study.db", "study.db")


def test_who_is_at_work_is_told_from_who_waits() -> None:
    with child("while True: pass"):
        assert any(waiting_for_processor() for _ in range(100))
    with child("import time; time.sleep(60)"):
        time.sleep(0.1)
        assert not all(waiting_for_processor() for _ in range(20))


def test_silence_is_a_hang_unless_somebody_waits_for_a_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(module, "waiting_for_processor", lambda: True)
    assert not scene(tmp_path).until(lambda: False, 0.5)
    monkeypatch.setattr(module, "waiting_for_processor", lambda: False)
    with pytest.raises(Hang, match="nothing happened for 0 s"):
        scene(tmp_path).until(lambda: False, 60.0)


def test_a_hang_does_not_end_a_series(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_last", Mock(side_effect=Hang("nothing happened for 30 s; ")))
    report = trial.torment(Trial("damages", "sqlite", 1), Mock(), None)
    assert report.violations == [("hang", "nothing happened for 30 s; ")]
