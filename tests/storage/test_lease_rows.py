"""Which leases count."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from taut.storage import open_storage, owner
from taut.storage.lease_rows import living
from taut.storage.leases import NEXT

NEXT_WORK = (NEXT[0], [NEXT[1]])


@pytest.mark.parametrize("recent", [True, False])
def test_the_life_of_a_process_decides_where_it_can_be_seen(recent: bool) -> None:
    me = owner.new()
    assert living((1, "f"), me, recent)
    assert living((1, "f"), "elsewhere", recent) is recent
    assert living(NEXT, me, recent) is recent  # two who compute a suggestion do no harm
    dead = " ".join([*me.split(" ")[:4], "1"])
    assert not living((1, "f"), dead, True) and not living(NEXT, dead, True)
    assert not living((1, "f"), me, None)  # gave it back


@pytest.mark.parametrize("step", [-3600.0, 3600.0, 1e9])
def test_a_living_process_keeps_its_leases_whatever_the_clock_says(
    path: Path, step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A laptop wakes up, or the clock is set: those who are at work are still at work."""
    storage, now = open_storage(path), time.time()
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "('f',)\n"
        monkeypatch.setattr(time, "time", lambda: now + step)
        assert storage.leases()[1, "f"].living
        assert storage.lease(1, ["f"], "another", 60.0, None) == ()
        holder.kill()
        holder.wait()
    assert storage.lease(1, ["f"], "another", 60.0, None) == ("f",)


HOLDER = """
import sys, time; from taut.storage import open_storage, owner
print(open_storage(sys.argv[1]).lease(1, ["f"], owner.new(), 60.0, None), flush=True); time.sleep(60)
"""


def test_a_stopped_asker_is_not_waited_for_longer_than_its_lease(path: Path) -> None:
    """It lives, but two who compute a suggestion do no harm."""
    storage = open_storage(path)
    storage.lease(*NEXT_WORK, owner.new(), 0.05, None)
    time.sleep(0.1)
    assert not storage.leases()[NEXT].living
