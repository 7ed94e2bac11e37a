"""Names of processes, and who is seen to have ended."""

import subprocess
import sys

from taut.storage import owner


def test_a_living_process_is_not_gone() -> None:
    assert not owner.gone(owner.new())
    assert owner.new() != owner.new()


def test_an_ended_process_is_gone() -> None:
    code = "from taut.storage import owner; print(owner.new())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert owner.gone(run.stdout.strip())


def test_a_process_that_took_over_the_number_is_another() -> None:
    parts = owner.new().split(" ")
    assert owner.gone(" ".join([*parts[:4], str(int(parts[4]) - 1)]))


def test_where_one_cannot_look_nobody_is_gone() -> None:
    host, process, name, world, start = owner.new().split(" ")
    for stranger in (
        f"{host} 999999999 {name} another-boot/pid:[1] {start}",  # another machine or container
        f"{host} 999999999 {name} - -",  # a system that does not tell
        f"{host} 999999999 {name}",  # as earlier versions wrote it
        f"{host} x {name} {world} {start}",
        "",
    ):
        assert not owner.gone(stranger)
