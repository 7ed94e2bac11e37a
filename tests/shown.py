"""Small studies to be shown, and what any page must keep: balanced tags, no script of others, no NaN."""

import math
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser

import numpy as np

import taut
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement
from taut.data.survey import Survey
from taut.plot.gather import Beliefs, beliefs
from taut.plot.state import Facts, Label, facts
from taut.storage.base import Lease

FILE = """\
[study]
name = "bracket"
method = "{method}"
seed = {seed}
budget = 40
storage = "bracket.db"
[parameters.width]
low = 1.0
high = 20.0
[parameters.height]
low = 10.0
high = 100.0
[objective]
name = "mass"
goal = "minimize"
[[constraints]]
name = "stress"
at_most = 150.0
cost = 5
"""
"""A study of the bracket with one constraint."""

VOID = {"meta", "input", "br", "hr", "img", "link"}


def bracket(storage: str | None = None) -> taut.Study:
    """Two parameters, two constraints (one binds), a group; nothing is evaluated yet."""
    problem = taut.Problem(
        [taut.Real("width", 1.0, 20.0), taut.Real("height", 10.0, 100.0)],
        taut.Objective("mass", goal="minimize"),
        [
            taut.Constraint("stress", at_most=150.0, cost=5.0),
            taut.Constraint("sag", at_most=2.0, at_least=0.0, cost=4.0),
        ],
    )
    return taut.Study(problem, seed=1, initial=6, storage=storage)


FUNCTIONS: dict[str, Callable[[dict[str, float]], float]] = {
    "mass": lambda p: 0.00785 * p["width"] * p["height"],
    "stress": lambda p: 4.5e6 / (p["width"] * p["height"] ** 2),
    "sag": lambda p: 2.9e6 / (p["width"] * p["height"] ** 3),
}


def answer(study: taut.Study, suggestion: taut.Suggestion) -> None:
    study.tell(suggestion, {name: FUNCTIONS[name](suggestion.point) for name in suggestion.functions})


@cache
def known() -> taut.Study:
    """The bracket with its initial design, three decisions, a failure, and one suggestion open. Do not change it."""
    study = bracket()
    for _ in range(9):
        answer(study, study.ask())
    study.add({"width": 8.0, "height": 20.0}, {"sag": None, "stress": 1000.0})
    study.ask()
    return study


def known_facts(study: taut.Study, budget: float | None = None) -> Facts:
    label = Label("a <b>bracket</b>", study.method, study.seed, budget)
    owner = "node7 4711 f00 world start"
    leases = {(number, name): Lease(owner, True) for number in study.history.open for name in ("mass", "stress", "sag")}
    return facts(study.problem, study.history, label, leases)


@cache
def known_beliefs() -> Beliefs:
    found = beliefs(known(), 40.0)
    assert found is not None
    return found


@cache
def formulas() -> taut.Study:
    """Nothing has to be evaluated. Do not change it."""
    objective = taut.Objective("mass", goal="minimize", formula="width + height")
    parameters = [taut.Real("width", 0.0, 1.0), taut.Real("height", 0.0, 1.0)]
    return taut.Study(taut.Problem(parameters, objective, [taut.Constraint("k", at_least=0.5, formula="width")]))


class Page(HTMLParser):
    """Checks that tags are balanced, and collects texts, attributes and ids."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(markup)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def sound(markup: str) -> Page:
    """The page or part of one, parsed; fails if it is not what a page may be."""
    page = Page(markup)
    words = page.text + " " + " ".join(value for name, value in page.attributes if name not in ("content", "class"))
    for bad in ("nan", "NaN", "inf", "Infinity", "None", "array("):
        assert not _has_word(words, bad), bad
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert len(page.ids) == len(set(page.ids))
    return page


def _has_word(text: str, word: str) -> bool:
    padded = "".join(each if each.isalnum() or each == "(" else " " for each in text)
    return f" {word} " in f" {padded} "


def bowl(point: dict[str, float]) -> float:
    return math.fsum((value - 0.3) ** 2 for value in point.values() if isinstance(value, (int, float)))


class Sure:
    """A method that believes the same everywhere: quick, however many functions and parameters there are."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        x = rng.random(request.problem.dimension)
        return Proposal(x, request.problem.functions[:1], "anywhere", {"best": [float(u) for u in x]})

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        size = len(request.problem.functions)
        point = np.full(request.problem.dimension, 0.4)
        return Belief(point, np.zeros(size), np.ones(size), np.full(size, 0.5), 0.5**size)

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        return [Judgement(name, 0.5, 0.1, "undecided") for name in request.problem.functions[1:]]

    def survey(self, request: Request, points: np.ndarray, rng: np.random.Generator) -> Survey:
        shape = len(points), len(request.problem.functions)
        mean = np.repeat(points[:, :1], shape[1], axis=1) - 0.5
        return Survey(mean, np.full(shape, 0.1), np.full(shape, 0.5), np.full(shape[0], 0.5))
