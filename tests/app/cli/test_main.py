"""The command line: what it prints, and how it ends."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

import taut
from taut.app.cli import demonstration
from taut.app.cli.main import COMMANDS, main
from taut.app.look import terminal
from taut.data.rows import Recommendation, Suggestion


def call(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture(scope="module")
def tiny() -> demonstration.Result:
    return demonstration.run(demonstration.prepare(seed=1, budget=2.0, method="dckg"))


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
        assert COMMANDS == ("demo", "init", "run", "ask", "tell", "add", "status", "best", "export", "bench")

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

    def test_interrupted_is_code_1(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def stop(*args: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(demonstration, "run", stop)
        result = call("demo", "--plain")
        assert result.exit_code == 1
        assert "Traceback" not in result.output
        assert "stopped before the end" in result.stderr


class TestDemo:
    def test_plain_lines(self) -> None:
        result = call("demo", "--plain", "--budget", "2", "--seed", "1")
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert sum("initial design, " in line for line in lines) == 6
        for part in ("Answer", "opportunity cost", "What was evaluated", "Which constraints mattered", "coupled"):
            assert any(part in line for line in lines), part
        assert all(line == line.rstrip() for line in lines)
        assert "\x1b" not in result.stdout

    def test_json_is_the_result(self, tiny: demonstration.Result) -> None:
        result = call("demo", "--json", "--budget", "2", "--seed", "1")
        assert result.exit_code == 0
        assert json.loads(result.stdout) == json.loads(json.dumps(tiny.to_dict()))

    def test_json_says_what_is_believed_of_each_constraint(self, tiny: demonstration.Result) -> None:
        believed = tiny.to_dict()["answer"]["constraints"]
        assert list(believed) == ["c1", "c2", "c3"]
        for name, (mean, sd, probability) in tiny.best.constraints.items():
            assert believed[name] == {"mean": mean, "sd": sd, "probability": probability}

    def test_numbers_agree(self, tiny: demonstration.Result) -> None:
        f, *constraints = tiny.accounts
        assert [account.initial for account in tiny.accounts] == [6, 6, 6, 6]
        assert tiny.spent == sum(account.spent for account in tiny.accounts) <= tiny.budget
        assert tiny.initial_cost == 6 * sum(demonstration.COSTS.values())
        assert tiny.coupled_cost == f.chosen * sum(demonstration.COSTS.values())
        assert [(row.evaluations, row.cost) for row in tiny.relevance] == [
            (account.chosen, account.spent) for account in constraints
        ]
        assert tiny.opportunity_cost == tiny.bench.opportunity_cost(tiny.best.point)

    def test_nothing_affordable(self) -> None:
        result = call("demo", "--plain", "--budget", "2", "--method", "random")
        assert result.exit_code == 0
        assert result.stdout.count("uniformly random point") <= 2

    def test_live_view(self) -> None:
        case = demonstration.prepare(seed=1, budget=30.0, method="random")
        console = Console(file=io.StringIO(), force_terminal=True, width=80, height=30, highlight=False)
        screen = terminal.Screen(case, plain=False, console=console)
        with screen:
            result = demonstration.run(case, screen.update)
        screen.report(result)
        shown = console.file.getvalue()  # type: ignore[attr-defined]
        for part in ("taut demo", "30 of 30", "uniformly random point", "Which constraints mattered"):
            assert part in shown

    def test_live_view_fits_a_small_terminal(self) -> None:
        case = demonstration.prepare(seed=1, budget=30.0, method="random")
        best = case.study.run(case.bench.functions, case.budget)
        for believed in (None, best):
            lines = rendered(terminal.live_view(case, believed, 3.0), width=80)
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80
        assert "P(feasible)" in "\n".join(lines)


class TestWords:
    def test_saving(self, tiny: demonstration.Result) -> None:
        def sentence(chosen: int, spent: float) -> str:
            accounts = (replace(tiny.accounts[0], chosen=chosen), *tiny.accounts[1:])
            return terminal.coupled_sentence(replace(tiny, accounts=accounts, spent=spent, decisions=4))

        assert sentence(4, 30.0).endswith("4 evaluations of the objective is 60; this run spent 30, which saves 50%.")
        assert sentence(1, 15.0).endswith(
            "1 evaluation of the objective is 15, which is what this run spent: nothing saved."
        )
        assert sentence(2, 45.0).endswith("is 30; this run spent 45, 50% more.")
        assert "was not evaluated" in sentence(0, 12.0)
        nothing = replace(tiny, decisions=0, spent=0.0, budget=2.0, method="ckg")
        assert terminal.coupled_sentence(nothing) == "A budget of 2 pays for nothing that ckg would evaluate."

    def test_infeasible_answer(self, tiny: demonstration.Result) -> None:
        bad = replace(tiny, feasible=False, opportunity_cost=4.75)
        assert "In truth it is not feasible, which counts as the penalty -4" in terminal.answer_sentences(bad)

    @pytest.mark.parametrize(
        ("p", "words"), [(0.0, "< 0.01"), (0.5, "0.50"), (0.994, "> 0.99"), (0.99, "0.99"), (0.01, "0.01")]
    )
    def test_probability(self, p: float, words: str) -> None:
        best = Recommendation({"x1": 0.5, "x2": 0.25}, (1.0, 0.5), p, {})
        assert terminal.best_text(best).plain == f"f = 1.0000 +- 0.5 at (0.5000, 0.2500), P(feasible) {words}"

    @pytest.mark.parametrize(
        ("note", "shown"), [("f+c1: coupled evaluation", "coupled evaluation"), ("f: not these", "f: not these")]
    )
    def test_decision_does_not_repeat_its_functions(self, note: str, shown: str) -> None:
        suggestion = Suggestion(7, {"x1": 0.5, "x2": 0.25}, ("f", "c1"), 3.0, note)
        line = terminal.decision_line(suggestion, 12.0)
        assert line == f"   7  f+c1          (0.5000, 0.2500)  spent    12  {shown}"


def rendered(view: object, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(view)
    text: Callable[[], str] = console.file.getvalue  # type: ignore[attr-defined]
    return text().splitlines()


def test_result_fits_80_columns(tiny: demonstration.Result) -> None:
    lines = rendered(terminal.result_view(tiny), 80)
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    judged = [line for line in lines if line[:3] in (" c1", " c2", " c3") and line.split()[-4] in ("binds", "slack")]
    assert len(judged) == 3
