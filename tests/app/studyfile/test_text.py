"""From a path to the text of a study file: what is no TOML, no text, or no readable file at all."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, assert_refused, call, swap

# What is wrong: (the file, words that the message must hold).
UNREADABLE: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "empty": ("", ("empty",)),
    "only spaces": (" \n\t\n", ("empty",)),
    "only a comment": ("# nothing here\n", ("[study]",)),
    "binary": (bytes(range(256)) * 4, ("binary",)),
    "utf-16": (GOOD.encode("utf-16"), ("UTF-8",)),
    "latin-1": (swap('"bracket"', '"bracket-\xfc"').encode("latin-1"), ("UTF-8", "line 2", "0xfc")),
    "an SQLite file": (b"SQLite format 3\0" + b"\0" * 100, ("binary",)),
    "unfinished text": (swap('name = "bracket"', 'name = "bracket'), ("line 2",)),
    "no quotes": (swap('"bracket"', "bracket"), ("line 2",)),
    "no value": (swap("budget = 40", "budget ="), ("line 4",)),
    "no equals sign": (swap("budget = 40", "budget: 40"), ("line 4",)),
    "decimal comma": (swap("high = 9.0", "high = 9,0"), ("decimal point is a dot",)),
    "unfinished table": (swap("[objective]", "[objective"), ("line 23",)),
    "key twice": (swap("seed = 1", "seed = 1\nseed = 2"), ("line 6",)),
    "table twice": (GOOD + "\n[objective]\nname = 'f'\n", ("objective",)),
    "JSON": ('{"study": {"name": "bracket"}}', ("line 1",)),
    "too deep": ("a = " + "[" * 3000, ("brackets",)),
    "too many digits": (swap("seed = 1", "seed = " + "9" * 3990), ("seed",)),
    "too long a line": ("a" + ".a" * 3000 + " = 1", ("line 1", "4000")),
    "too large": (("# " + "x" * 70 + "\n") * 20_000, ("1 MB",)),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_is_one_sentence_and_changes_nothing(what: str, begun_folder: Path) -> None:
    text, words = UNREADABLE[what]
    assert_refused(begun_folder, text if isinstance(text, bytes) else text.encode(), *words)


@pytest.mark.parametrize("what", ["binary", "no quotes"])
def test_real_process(what: str, begun_folder: Path) -> None:
    text, words = UNREADABLE[what]
    bad = begun_folder / "bad.toml"
    bad.write_bytes(text if isinstance(text, bytes) else text.encode())
    run = subprocess.run([sys.executable, "-m", "taut", "status", str(bad)], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert run.stderr.startswith("Error: ") and words[0] in run.stderr


class TestFiles:
    """What is no readable file at all."""

    COMMANDS = ("ask", "status", "best")

    @pytest.mark.parametrize("command", COMMANDS)
    def test_missing(self, begun_folder: Path, command: str) -> None:
        assert_mistake(call(command, str(begun_folder / "none.toml")), "none.toml'", "nothing of that name")

    def test_folder(self, begun_folder: Path) -> None:
        assert_mistake(call("status", str(begun_folder)), "a folder")

    def test_inside_a_file(self, begun_folder: Path) -> None:
        assert_mistake(call("status", str(begun_folder / "good.toml" / "x.toml")), "x.toml'")

    def test_pipe(self, begun_folder: Path) -> None:
        pipe = begun_folder / "pipe.toml"
        os.mkfifo(pipe)
        try:
            assert_mistake(call("status", str(pipe)), "pipe.toml'", "no ordinary file")
        finally:
            pipe.unlink()

    def test_device(self) -> None:
        assert_mistake(call("status", "/dev/zero"), "no ordinary file")

    def test_link_to_itself(self, begun_folder: Path) -> None:
        loop = begun_folder / "loop.toml"
        loop.symlink_to(loop)
        try:
            assert_mistake(call("status", str(loop)), "loop.toml'")
        finally:
            loop.unlink()

    @pytest.mark.parametrize("name", ["x" * 5000, "a\0b", ""])
    def test_no_path(self, name: str) -> None:
        assert_mistake(call("status", name))

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_unreadable(self, begun_folder: Path) -> None:
        hidden = begun_folder / "hidden.toml"
        hidden.write_text(GOOD)
        hidden.chmod(0)
        try:
            assert_mistake(call("status", str(hidden)), "hidden.toml'", "permissions")
        finally:
            hidden.unlink()

    @pytest.mark.parametrize("size", [100_000_000, 10**12])
    def test_huge_is_not_read(self, tmp_path: Path, size: int) -> None:
        huge = tmp_path / "huge.toml"
        with huge.open("wb") as file:
            file.write(GOOD.encode())
            try:
                file.truncate(size)  # sparse: takes no room
            except OSError:
                pytest.skip("this file system has no sparse files of that size")
        tracemalloc.start()
        try:
            assert_mistake(call("status", str(huge)), "huge.toml'", "1 MB")
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()
