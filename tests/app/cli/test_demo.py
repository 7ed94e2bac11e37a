"""taut demo: its numbers agree with each other and with the study, and all views say the same."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console
from studies import call

from taut.app.cli import demo
from taut.app.run import live


def run(budget: float, method: str = "dckg") -> demo.Result:
    return demo.run(*demo.prepare(1, budget, method))


@pytest.fixture(scope="module")
def tiny() -> demo.Result:
    return run(2.0)


class TestCommand:
    def test_plain_lines(self) -> None:
        result = call("demo", "--plain", "--budget", "2", "--seed", "1")
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert lines[:2] == [
            "taut demo Test Function 2: maximize f subject to c1, c2, c3",
            "method dckg, seed 1, budget 2, 1 at a time",
        ]
        assert sum("initial design, " in line for line in lines) == 6
        for part in ("Answer", "opportunity cost", "What was evaluated", "Which constraints mattered", "coupled"):
            assert any(part in line for line in lines), part
        assert all(line == line.rstrip() and len(line) <= 140 for line in lines)
        assert "\x1b" not in result.stdout

    def test_json_is_the_result(self, tiny: demo.Result) -> None:
        result = call("demo", "--json", "--budget", "2", "--seed", "1")
        assert result.exit_code == 0
        assert json.loads(result.stdout) == json.loads(json.dumps(tiny.to_dict()))

    def test_nothing_affordable(self) -> None:
        result = call("demo", "--plain", "--budget", "2", "--method", "random")
        assert result.exit_code == 0
        assert result.stdout.count("uniformly random point") <= 2

    def test_live_view(self) -> None:
        console = Console(file=io.StringIO(), force_terminal=True, width=80, height=30, highlight=False)
        bench, monitor = demo.prepare(1, 30.0, "random")
        with live.Screen(monitor, plain=False, console=console) as screen:
            result = demo.run(bench, monitor, screen)
        screen.report(demo.result_lines(result))
        shown = console.file.getvalue()  # type: ignore[attr-defined]
        for part in ("taut demo", "30 of 30", "5 decisions", "uniformly random point", "Which constraints mattered"):
            assert part in shown, part


class TestNumbers:
    def test_json_says_what_is_believed_of_each_constraint(self, tiny: demo.Result) -> None:
        believed = tiny.to_dict()["answer"]["constraints"]
        assert list(believed) == ["c1", "c2", "c3"]
        for name, (mean, sd, probability) in tiny.answer.best.constraints.items():
            assert believed[name] == {"mean": mean, "sd": sd, "probability": probability}

    def test_the_keys_are_those_that_others_read(self, tiny: demo.Result) -> None:
        found = tiny.to_dict()
        assert list(found) == [
            "problem", "method", "seed", "budget", "spent", "decisions", "answer", "truth", "functions", "relevance",
            "coupled",
        ]  # fmt: skip
        assert list(found["answer"]) == ["point", "objective", "feasibility", "constraints", "note"]
        assert list(found["functions"][0]) == ["function", "cost", "initial", "chosen", "spent"]

    def test_they_agree(self, tiny: demo.Result) -> None:
        f, *constraints = tiny.accounts
        assert [account.initial for account in tiny.accounts] == [6, 6, 6, 6]
        assert tiny.answer.spent == sum(account.spent for account in tiny.accounts) <= tiny.budget
        assert tiny.initial_cost == 6 * sum(demo.COSTS.values())
        assert tiny.coupled_cost == f.chosen * sum(demo.COSTS.values())
        assert [(row.evaluations, row.cost) for row in tiny.answer.relevance] == [
            (account.chosen, account.spent) for account in constraints
        ]
        assert tiny.opportunity_cost == tiny.bench.opportunity_cost(tiny.answer.best.point)


class TestWords:
    def test_saving(self, tiny: demo.Result) -> None:
        def sentence(chosen: int, spent: float) -> str:
            accounts = (replace(tiny.accounts[0], chosen=chosen), *tiny.accounts[1:])
            answer = replace(tiny.answer, spent=spent)
            return demo.coupled_sentence(replace(tiny, accounts=accounts, answer=answer, decisions=4))

        assert sentence(4, 30.0).endswith("4 evaluations of the objective is 60; this run spent 30, which saves 50%.")
        assert sentence(1, 15.0).endswith(
            "1 evaluation of the objective is 15, which is what this run spent: nothing saved."
        )
        assert sentence(2, 45.0).endswith("is 30; this run spent 45, 50% more.")
        assert "was not evaluated" in sentence(0, 12.0)
        nothing = replace(tiny, decisions=0, budget=2.0, method="ckg")
        assert demo.coupled_sentence(nothing) == "A budget of 2 pays for nothing that ckg would evaluate."

    def test_the_answer_is_verified(self, tiny: demo.Result) -> None:
        result = run(34.0)
        assert result.answer.best.verified and result.feasible and result.answer.spent <= 34.0
        assert "every constraint held as measured. In truth it is feasible" in demo.answer_sentences(result)
        only_believed = replace(tiny.answer, best=replace(tiny.answer.best, verified=False))
        assert "Predicted there" in demo.answer_sentences(replace(tiny, answer=only_believed))

    def test_infeasible_answer(self, tiny: demo.Result) -> None:
        best = replace(tiny.answer.best, point={"x1": 0.0, "x2": 0.0})
        bad = replace(tiny, answer=replace(tiny.answer, best=best))
        assert not bad.feasible
        assert "In truth it is not feasible, which counts as the penalty -4" in demo.answer_sentences(bad)

    def test_tables_fit_80_columns(self, tiny: demo.Result) -> None:
        lines = [line for line in demo.result_lines(tiny) if isinstance(line, str)]
        assert max(map(len, lines)) <= 80
        judged = [line.split() for line in lines if line[:2] in ("c1", "c2", "c3") and len(line.split()) >= 8]
        assert [words[-4] for words in judged] == ["binds", "slack", "binds"]
