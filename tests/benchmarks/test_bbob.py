"""The arena's rivals, rows, targets and page (benchmarks/bbob.py), on a small stand-in for the suite."""

import importlib
import math
import re
from dataclasses import replace
from pathlib import Path

import fake_coco
import numpy as np
import pytest

from taut_paper.arena import suite
from taut_paper.arena.plan import repetition
from taut_paper.arena.suite import Place
from taut_paper.results import Store, load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def coco(monkeypatch):
    """Imports a module of the arena, with the stand-in installed."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    fake_coco.install(monkeypatch)
    yield lambda name: importlib.import_module(f"coco.{name}")
    suite.opened.cache_clear()


@pytest.fixture
def bbob(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("bbob")


def walk(board, seed):
    """A rival that goes half of the way to the optimum (1, 2), from inside."""
    while True:
        board((board.X[board.best] + (np.array([1.0, 2.0]) / 5.0 + 1.0) / 2.0) / 2.0)


def test_a_rival_pays_for_all_functions_and_hands_out_its_best_feasible_trial(coco):
    trial = coco("trial")
    run = repetition(Place(2, 2, 1), "walk", 0)
    board = trial.trials(run)
    assert board.X.shape == (6, 2) and board.c.shape == (6, 3)
    assert board.X[0] == pytest.approx([0.9, 0.9])  # the suite's start, then the design of the library
    steps = trial.play(run, walk)
    assert [step.spent for step in steps] == [4.0 * k for k in range(16)]  # 60 units, 1 + K = 4 a trial
    assert steps[0].functions == () and steps[1].functions == ("f", "c1", "c2", "c3")
    scores = [step.oc for step in steps]
    assert scores == sorted(scores, reverse=True) and scores[-1] < 1e-2


def test_a_rival_begins_where_the_library_does(coco):
    trial = coco("trial")
    run = repetition(Place(2, 2, 1), "cei", 3, budget=4.0)
    known = trial.trials(run)
    seen = []

    def spy(board, seed):
        seen.append(board.X.copy())

    trial.play(run, spy)
    assert np.array_equal(seen[0], known.X)
    assert len(np.unique(known.X, axis=0)) == 6


def test_rows_hold_when_each_answer_became_better(coco, monkeypatch, tmp_path):
    trial, rows = coco("trial"), coco("rows")
    monkeypatch.setattr(rows, "by_construction", lambda where: np.array([1.0, 2.0]))
    store = Store(tmp_path)
    run = repetition(Place(2, 2, 1), "walk", 0, budget=12.0)
    store.add(run, trial.play(run, walk))
    (trace,) = load(tmp_path)
    row = rows.row(trace)
    assert row["answers"] == row["trials"] == row["near"] and rows.increasing(row["answers"])
    assert row["way"] == 0.5 and row["arrived"] is None  # half of what was left at each trial, of which three do not do
    assert row["answers"][0][0] == 0.0 and row["counts"] == [3, 3, 3, 3] and row["last"][1] == 0.0


def test_better_keeps_improvements_only(coco):
    pairs = [(0.0, math.inf), (1.0, 3.0), (2.0, 4.0), (3.0, 1.0), (4.0, math.inf), (5.0, 1.0)]
    assert coco("rows").better(pairs) == [[1.0, 3.0], [3.0, 1.0]]


def test_a_design_counts_as_evaluated_when_its_last_function_is(coco, monkeypatch, tmp_path):
    """Functions of one design bought one by one: the trial is there with the last of them."""
    rows, trial = coco("rows"), coco("trial")
    monkeypatch.setattr(rows, "by_construction", lambda where: np.array([1.0, 2.0]))
    run = repetition(Place(2, 2, 1), "walk", 0, budget=8.0)
    steps = trial.play(run, walk)
    store = Store(tmp_path)
    names = ("f", "c1", "c2", "c3")
    last = steps[-1]
    split = [
        type(last)(4.0 + k, (name,), (name,), last.point, last.recommended, last.oc, 0.0, 0.0)
        for k, name in enumerate(names, 1)
    ]
    store.add(run, [steps[0], steps[1], *split])
    (trace,) = load(tmp_path)
    assert [pair[0] for pair in rows.row(trace)["trials"]] == [0.0, 4.0, 8.0]
    assert [pair[0] for pair in rows.row(trace)["answers"]] == [0.0, 4.0, 5.0]


def made(method, function, curve, seed=0):
    return {
        "problem": Place(function, 2, 1).name, "method": method, "seed": seed, "budget": 60.0, "answers": curve,
        "near": curve, "trials": curve, "last": [curve[-1][1], 0.0], "infeasible": 0.0, "far": 0.5,
        "way": 0.25, "arrived": None, "counts": [1, 2], "seconds": 1.0, "taut": "0",
    }  # fmt: skip


def test_targets_by_hand(coco):
    targets = coco("targets")
    assert len(targets.TARGETS) == 41 and targets.TARGETS[0] == 100.0 and targets.TARGETS[-1] == pytest.approx(1e-6)
    reached = targets.hits([[0.0, 1e3], [4.0, 50.0], [10.0, 0.9e-5]])
    assert reached[0] == 4.0 and reached[1] == 4.0 and reached[2] == 10.0  # 100 and 63 at 4 units, 40 at 10
    assert np.isinf(reached[-5:]).all() and np.isfinite(reached[:-5]).all()  # 1e-5 is missed only just
    rows = [made("dckg", 1, [[0.0, 1e3], [4.0, 50.0]]), made("dckg", 2, [[60.0, 1e-7]])]
    assert targets.share(rows, 1.9) == 0.0 and targets.share(rows, 2.0) == pytest.approx(2.0 / 82.0)
    assert targets.share(rows, 30.0) == pytest.approx(43.0 / 82.0)
    assert targets.ecdf(rows, np.array([1.9, 2.0, 30.0])) == pytest.approx([0.0, 2.0 / 82.0, 43.0 / 82.0])


def test_all_methods_are_judged_on_the_same_problems(coco):
    targets = coco("targets")
    rows = [made("dckg", 1, [[1.0, 1.0]]), made("dckg", 2, [[1.0, 1.0]]), made("egobox", 2, [[2.0, 1.0]])]
    assert [(row["method"], row["problem"]) for row in targets.complete(rows)] == [
        ("dckg", Place(2, 2, 1).name),
        ("egobox", Place(2, 2, 1).name),
    ]
    more = [*rows, made("cei", 1, [[1.0, 1.0]]), made("cei", 2, [[1.0, 1.0]])]
    first, second = targets.groups(more)
    assert targets.methods(first) == ["dckg", "cei"] and len(first) == 4
    assert targets.methods(second) == ["dckg", "cei", "egobox"] and len(second) == 3
    assert targets.groups(first) == [first]
    assert targets.curve_of(rows[0]) == "answers" and targets.curve_of(rows[2]) == "trials"
    assert targets.kind(rows[0]) == "K = 1" and targets.objective(made("dckg", 13, [[0.0, 1.0]])) == "linear slope"


def test_the_page_says_who_reaches_what(coco):
    page = coco("page")
    ends = {"dckg": 1.0, "egobox": 1e-3}
    rows = [made(method, function, [[6.0, end]]) for method, end in ends.items() for function in (1, 2)]
    text = page.page(rows)
    assert "how runs behave" not in text  # nothing of that kind is in these rows
    rows[0]["conduct"] = {"stuck": True, "infeasible": False, "seconds": 0.5, "decisions": 10}
    assert re.search(r"\| how runs behave.*\n.*\n\| dckg +\| 1 +\| 1 of 1 +\| 0 of 1 ", page.page(rows))
    assert "| dckg " in text and "| EGObox " in text and "4 runs" in text
    assert "26.8" in text and "63.4" in text  # 11 and 26 of 41
    assert "f2, d = 2, sphere, K = 3" in text and "11 and 26 (EGObox)" in text


def test_a_panel_has_a_line_for_each_method(coco):
    rows = [made("dckg", 1, [[6.0, 1.0]]), made("egobox", 1, [[0.0, 1e-9]])]

    class Axes:
        def __init__(self):
            self.lines = {}

        def plot(self, x, y, label, **look):
            self.lines[label] = y

        def set(self, **words):
            assert words["title"] == "K = 1" and words["xlim"] == (0.3, 30.0)

    axes = Axes()
    coco("pictures").panel(axes, "K = 1", rows)
    assert (axes.lines["EGObox"] == 1.0).all() and axes.lines["dckg"][0] == 0.0
    assert axes.lines["dckg"][-1] == pytest.approx(11.0 / 41.0)


def test_rivals_are_resumed_and_kept(coco, bbob, monkeypatch, tmp_path):
    monkeypatch.setattr(bbob, "rival", lambda name: walk)
    monkeypatch.setattr(bbob, "KEPT", replace(bbob.KEPT, path=tmp_path / "bbob.jsonl"))
    said: list[str] = []
    monkeypatch.setattr(bbob, "say", said.append)
    monkeypatch.setattr(coco("rows"), "by_construction", lambda where: np.array([1.0, 2.0]))
    words = ["rivals", "--functions", "1-2", "--methods", "cobyqa", "--budget", "8", "--out", str(tmp_path / "runs")]
    assert bbob.main(words) == 0 and bbob.main(words) == 0
    assert said[0].startswith("0 of 2") and said[-1] == "2 of 2 runs are there, 0 to run"
    monkeypatch.setattr(coco("rows"), "package", lambda method: {method: "1"})
    bbob.main(["keep", str(tmp_path / "runs")])
    rows = bbob.KEPT.rows()
    assert [row["method"] for row in rows] == ["cobyqa", "cobyqa"] and rows[0]["counts"] == [4, 4]
    assert rows[0]["made"]["cobyqa"] == "1" and rows[0]["conduct"]["stuck"] is False
    monkeypatch.setattr(coco("rows"), "row", None)  # nothing is judged twice
    bbob.main(["keep", str(tmp_path / "runs")])
    assert bbob.KEPT.rows() == rows


def test_what_is_kept_is_whole_and_printed(monkeypatch, bbob):
    page, rows = importlib.import_module("coco.page"), importlib.import_module("coco.rows")
    kept = bbob.KEPT.rows()
    assert all(rows.increasing(row[way]) for row in kept for way in ("answers", "near", "trials"))
    assert page.page(kept) == (ROOT / "docs" / "arena.md").read_text()
