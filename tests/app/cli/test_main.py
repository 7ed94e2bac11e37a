"""The command line: what it lists, and how it ends."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import taut
from taut.app.cli import demo
from taut.app.cli.main import COMMANDS, main


def call(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


class TestHelp:
    def test_version(self) -> None:
        assert call("--version").output == f"taut {taut.__version__}\n"

    @pytest.mark.parametrize("args", [[], ["--help"], ["-h"]])
    def test_lists_the_commands(self, args: list[str]) -> None:
        result = call(*args)
        assert result.exit_code == 0
        assert "demo" in result.stdout

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_an_example(self, name: str) -> None:
        result = call(name, "--help")
        assert result.exit_code == 0
        assert f"\n    taut {name}" in result.stdout

    def test_no_command_is_a_stub(self) -> None:
        by_hand = ("ask", "tell", "add", "retry", "correct")
        looking = ("status", "best", "predict", "export", "report", "dashboard")
        assert COMMANDS == ("demo", "init", "check", "run", *by_hand, *looking, "bench")

    def test_all_methods_are_named(self) -> None:
        from taut.policy import METHODS

        text = " ".join(call("demo", "--help").stdout.split())
        *first, last = METHODS
        assert f"{', '.join(first)} or {last}." in text

    @pytest.mark.parametrize("args", [["--version"], ["--help"], ["tell", "--help"]])
    def test_module_and_light_start(self, args: list[str]) -> None:
        script = (
            f"import sys, runpy; sys.argv = {['taut', *args]}\n"
            "try: runpy.run_module('taut', run_name='__main__')\n"
            "except SystemExit as end: assert not end.code\n"
            "print([name for name in ('numpy', 'scipy', 'rich', 'sqlalchemy') if name in sys.modules])"
        )
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert run.stdout.startswith(("taut ", "Usage: python -m taut"))
        assert run.stdout.endswith("\n[]\n")


class TestMistakes:
    @pytest.mark.parametrize(
        ("args", "words"),
        [
            (["demo", "--budget", "0"], "budget"),
            (["demo", "--budget", "nan"], "budget"),
            (["demo", "--method", "magic"], "'magic'"),
            (["demo", "--seed", "-1"], "seed"),
            (["demo", "--seed", "one"], "'--seed'"),
            (["demo", "more"], "more"),
            (["dmo"], "'dmo'"),
            (["--wrong"], "--wrong"),
        ],
    )
    def test_one_sentence_on_stderr_and_code_2(self, args: list[str], words: str) -> None:
        result = call(*args)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("Error: ")
        assert result.stderr.endswith(".\n")
        assert result.stderr.count("\n") == 1
        assert words in result.stderr

    @pytest.mark.parametrize("args", [["demo", "--plain"], ["demo", "--json", "--budget", "1"], ["--version"]])
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    def test_output_that_cannot_be_written_is_code_1(self, args: list[str]) -> None:
        with open("/dev/full", "w") as full:
            run = subprocess.run([sys.executable, "-m", "taut", *args], stdout=full, stderr=subprocess.PIPE, text=True)
        assert run.returncode == 1
        assert run.stderr == "Error: the output could not be written: No space left on device.\n"

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (OSError(5, "Input/output error"), "the system refused a step: Input/output error."),
            (OSError("odd"), "the system refused a step: odd."),
            (OSError(13, "Permission denied", "/x/\x1b[2J"), "'/x/\\x1b[2J': Permission denied."),
        ],
    )
    def test_an_error_of_the_system(self, error: OSError, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*args: object) -> None:
            raise error

        monkeypatch.setattr(demo, "run", fail)
        result = call("demo", "--plain")
        assert (result.exit_code, result.stderr) == (1, f"Error: {words}\n")

    @pytest.mark.parametrize("words", [["--\x1b]0;x\x07"], ["run", "\x9b2J.toml"], ["init", "a\x1b[2J\0"]])
    def test_a_mistake_is_shown_without_control_characters(self, words: list[str]) -> None:
        result = call(*words)
        assert result.exit_code == 2 and "\\x" in result.stderr and result.stderr.strip().isprintable()

    @pytest.mark.parametrize(
        "words", [["run", "postgresql://me:SECRET@host/db"], ["status", "a", "mysql://me:SECRET@host/db?x=SECRET"]]
    )
    def test_no_mistake_repeats_a_password(self, words: list[str]) -> None:
        result = call(*words)
        assert result.exit_code == 2 and "me:***@host" in result.stderr and "SECRET" not in result.stderr

    def test_interrupted_is_code_1(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def stop(*args: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(demo, "run", stop)
        result = call("demo", "--plain")
        assert result.exit_code == 1
        assert "Traceback" not in result.output
        assert "stopped before the end" in result.stderr
