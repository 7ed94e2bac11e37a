"""The whole page, of studies as odd as we can think of."""

import base64
import hashlib
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from shown import Sure, bowl, formulas, known, known_beliefs, known_facts, sound
from toy import study as toy_study

import taut
from taut.plot.page.page import SECTIONS, bodies, digest, document, gathered, live_document, write
from taut.plot.page.words import number
from taut.problem.design import Kind
from taut.study.method import Policy

Make = Callable[[], taut.Study]


def plain(
    d: int = 2, k: int = 1, method: str | Policy = "random", initial: int = 6, design: Kind = "coupled"
) -> taut.Study:
    parameters = [taut.Real(f"x{i}", 0.0, 1.0) for i in range(d)]
    constraints = [taut.Constraint(f"c{i}", at_most=0.5 + 0.1 * i) for i in range(k)]
    problem = taut.Problem(parameters, taut.Objective("f"), constraints)
    return taut.Study(problem, method, initial=initial, initial_design=design)


def told(study: taut.Study, count: int, value: Callable[[dict[str, float]], float | None] = bowl) -> taut.Study:
    for _ in range(count):
        asked = study.ask()
        study.tell(asked, {name: value(asked.point) for name in asked.functions})
    return study


def values(study: taut.Study, *points: tuple[dict[str, float], dict[str, float | None]]) -> taut.Study:
    for point, found in points:
        study.add(point, found)
    return study


def odd(problem: taut.Problem, *found: tuple[dict[str, float], dict[str, float | None]]) -> Make:
    return lambda: values(taut.Study(problem), *found)


X = taut.Real("x", 0.0, 1.0)
F = taut.Objective("f")
AT = {"x": 0.5}


def one(*constraints: taut.Constraint, objective: taut.Objective = F, parameter: taut.Real = X) -> taut.Problem:
    return taut.Problem([parameter], objective, constraints)


ODD: dict[str, Make] = {
    "empty": plain,
    "asked and nothing told": lambda: _asked(),
    "one value": odd(one(), (AT, {"f": 1.0})),
    "one value of the constraint only": odd(one(taut.Constraint("c", at_most=0.0)), (AT, {"c": 1.0})),
    "one failure": odd(one(), (AT, {"f": None})),
    "all failed": lambda: told(plain(), 4, lambda point: None),
    "all failed but one": lambda: values(told(plain(1, 1), 3, lambda point: None), ({"x0": 0.1}, {"f": 1.0})),
    "no constraints": lambda: told(plain(2, 0), 5),
    "one parameter": lambda: told(plain(1, 1), 5),
    "one parameter, no constraint": lambda: told(plain(1, 0), 4),
    "thirty constraints": lambda: told(plain(2, 30, Sure()), 9),
    "twenty parameters": lambda: told(plain(20, 1, initial=3), 4),
    "constant functions": lambda: told(plain(), 4, lambda point: 1.0),
    "zero everywhere": lambda: told(plain(), 4, lambda point: 0.0),
    "huge values": lambda: told(plain(), 4, lambda point: 1e149 * bowl(point)),
    "tiny values": lambda: told(plain(), 4, lambda point: 1e-200 * bowl(point)),
    "values of both signs and sizes": lambda: told(plain(), 5, lambda point: math.sinh(300.0 * (point["x0"] - 0.5))),
    "nothing feasible": lambda: told(plain(), 5, lambda point: 5.0 + bowl(point)),
    "the same point ten times": odd(one(taut.Constraint("c", at_least=0.0)), *[(AT, {"f": 1.0, "c": 2.0})] * 10),
    "noise": odd(
        one(taut.Constraint("c", at_most=0.5, noise="learned"), objective=taut.Objective("f", noise=0.1)),
        *[({"x": i / 5}, {"f": i * 0.1, "c": i * 0.2}) for i in range(6)],
    ),
    "two-sided": odd(
        one(taut.Constraint("c", at_least=0.2, at_most=0.4)), (AT, {"c": 0.3}), ({"x": 0.1}, {"c": 0.9, "f": 1.0})
    ),
    "very narrow limits": odd(one(taut.Constraint("c", at_least=0.0, at_most=1e-12)), (AT, {"c": 0.3, "f": 1.0})),
    "logarithmic parameter": odd(
        one(parameter=taut.Real("x", 1e-6, 1e6, log=True)), ({"x": 1.0}, {"f": 1.0}), ({"x": 5.0}, {"f": 2.0})
    ),
    "huge bounds": odd(
        one(parameter=taut.Real("x", -1e150, 1e150)), ({"x": 1e10}, {"f": 1.0}), ({"x": -1e149}, {"f": 2.0})
    ),
    "minimise": odd(one(objective=taut.Objective("f", goal="minimize")), (AT, {"f": -1.0}), ({"x": 0.7}, {"f": -2.0})),
    "group": lambda: told(
        taut.Study(
            taut.Problem([X], F, [taut.Constraint("c", at_most=1.0)], [taut.Group("g", ("f", "c"), 3.0)]),
            method="random",
        ),
        4,
    ),
    "own points for each function": lambda: told(plain(2, 2, initial=2, design="independent"), 5),
    "a note with markup": lambda: _noted(),
    "twenty parameters, thirty constraints": lambda: told(plain(20, 30, Sure()), 9),
    "whole numbers, catalogue, choice, formulas, setup": lambda: told(_mixed(), 4),
    "measured costs": lambda: _timed(),
    "a long name": odd(
        taut.Problem([taut.Real("x" * 80, 0, 1)], taut.Objective("f" * 200)), ({"x" * 80: 0.5}, {"f" * 200: 1.0})
    ),
    "formulas only": formulas,
    "a method of one's own": lambda: toy_study(),
    "replaced and withdrawn values": lambda: _amended(),
}


def _asked() -> taut.Study:
    study = plain()
    study.ask()
    return study


def _noted() -> taut.Study:
    study = plain()
    study.tell(study.ask(), {"f": None, "c0": 1.0}, "<script>alert(1)</script> & \x00\x1b[31m")
    return study


def _mixed() -> taut.Study:
    problem = taut.Problem(
        [
            taut.Integer("ribs", 1, 12),
            taut.Ordinal("wire", (0.207, 0.225, 0.283)),
            taut.Choice("material", ("steel", "<b>alu</b> & co", 3)),
        ],
        taut.Objective("mass", goal="minimize", formula="density[material] * ribs"),
        [
            taut.Constraint("stress", at_most=1.0),
            taut.Constraint("root", at_most=9.0, formula="sqrt(ribs - 3)"),
            taut.Constraint("sag", at_most=9.0),
        ],
        tables={"density": {"steel": 7.85, "<b>alu</b> & co": 2.7, 3: 1.0}},
        setups=[taut.Setup("mesh", ("stress", "sag"), 2.0)],
    )
    return taut.Study(problem, method="random", initial=3)


def _timed() -> taut.Study:
    objective, constraint = taut.Objective("f", cost="measured"), taut.Constraint("c", at_most=0.5, cost="measured")
    study = taut.Study(taut.Problem([X], objective, [constraint]), method="random", initial=2)
    for _ in range(4):
        asked = study.ask()
        study.tell(asked, dict.fromkeys(asked.functions, 0.1), seconds=dict.fromkeys(asked.functions, 3.5))
    return study


def _amended() -> taut.Study:
    study = told(plain(), 3)
    study.correct(1, {"f": 2.0})
    study.correct(2, {"c0": None})
    study.retry(2)
    return study


def test_there_are_thirty() -> None:
    assert len(ODD) >= 30


@pytest.mark.parametrize("kind", ODD)
def test_odd_studies(kind: str, tmp_path: Path) -> None:
    written = ODD[kind]().report(tmp_path / "page.html", name=f"<i>{kind}</i> & \N{SNOWMAN}")
    text = written.read_text(encoding="utf-8")
    page = sound(text)
    assert text.startswith("<!DOCTYPE html>") and page.tags.count("main") == 1
    assert f"<i>{kind}</i> & \N{SNOWMAN}" in page.text, "shown as it is, not obeyed"
    assert "<i>one" not in text and "<script>alert" not in text
    assert page.tags.count("script") == 1
    bought = {"money", "decisions", "honesty"} if kind != "formulas only" else set()
    assert {"now", "answer", "about"} | bought <= set(page.ids)


def test_formulas_alone_have_an_answer() -> None:
    said = sound(document(*gathered(formulas(), "formulas", 40.0))).text
    assert "mass = 0.5 by its formula" in said and "lowering" in said.lower() and "To be evaluated nothing" in said
    assert "no value yet" not in said and "none yet" not in said


def test_the_same_study_gives_the_same_bytes() -> None:
    pages = [document(known_facts(known(), 80.0), known_beliefs()) for _ in range(2)]
    assert pages[0] == pages[1]


def test_nothing_is_asked_of_a_network() -> None:
    text = document(known_facts(known()), known_beliefs())
    page = sound(text)
    assert not [value for name, value in page.attributes if name in ("src", "href") and not value.startswith("#")]
    assert "http://" not in text and "https://" not in text and "url(" not in text and "@import" not in text
    policy = next(value for name, value in page.attributes if name == "content" and "default-src" in value)
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_the_policy_allows_exactly_its_own_style_and_script() -> None:
    text = document(known_facts(known()), known_beliefs())
    for kind, name in (("style", "style-src"), ("script", "script-src")):
        inside = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        assert len(inside) == 1
        wanted = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{name} &#x27;sha256-{wanted}&#x27;" in text


def test_the_ten_questions_are_answered() -> None:
    said = sound(document(known_facts(known(), 80.0), known_beliefs())).text
    for section in SECTIONS:
        assert section.live or section.title in said
    assert "mass =" in said and "feasible with" in said, "best now, its probability"
    assert "Evaluating every function there would have cost" in said
    assert "runner-up" in said and "value per cost" in said
    assert "running, process 4711 on node7" in said
    assert "sag failed" in said or "failed" in said


def test_a_live_page_has_files_of_its_own_and_sliders() -> None:
    text = live_document(known_facts(known()), None, waiting=True)
    page = sound(text)
    assert "Being computed" in page.text
    assert page.tags.count("style") == 0 and "page.js" in text and "page.css" in text
    assert page.tags.count("input") == 3, "stress, and both sides of sag"


def test_digests_tell_parts_apart() -> None:
    parts = bodies(known_facts(known()), known_beliefs(), live=True)
    assert list(parts) == [section.id for section in SECTIONS]
    assert len({digest(body) for body in parts.values()}) == len(parts)


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(taut.StudyError, match="expected a file that can be written"):
        write(plain(), tmp_path / "nowhere" / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_measured_costs_are_seconds(tmp_path: Path) -> None:
    study = _timed()
    said = sound(study.report(tmp_path / "page.html", budget=40.0).read_text(encoding="utf-8")).text
    spent = f"{number(study.spent)} of 40 s"
    assert spent in said and f"{number(study.spent)} s was paid" in said and "seconds spent after" in said
    assert "for each second" in said and f"({number(40.0 - study.spent)} s), at most" in said
    assert f"the {40.0 - study.spent:g} s that are left" in said
    assert "cost spent" not in said and f"spent {study.spent:g} s after" in sound(study._repr_html_()).text
