"""The whole page: ten questions answered top-down, as one file without any request, or live with its parts replaced.

    write(study, Path("report.html"))

The same study gives the same bytes. In a live page the style and the script are files of their own.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from taut import __version__
from taut.base.errors import StudyError
from taut.base.markup import Markup, joined, table, tag
from taut.plot.gather import Beliefs, beliefs
from taut.plot.page import answer, course, shape, trust
from taut.plot.page.frame import asset, contents, embedded, framed, styled
from taut.plot.page.words import count, headline, limit, number
from taut.plot.state import Facts, Label, facts
from taut.problem.problem import Problem
from taut.study.study import Study

CSS, JS = "page.css", "page.js"
NUMBERS = "The numbers behind every picture: taut.plot.data in Python. The values: taut export, or study.to_pandas()."

Known = Callable[[Facts], Markup | None]
Believed = Callable[[Facts, Beliefs], Markup]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page. known: needs no model; believed: does."""

    id: str
    title: str
    known: Known | None = None
    believed: Believed | None = None
    live: bool = False
    """Only where a server answers."""


SECTIONS = (
    Section("now", "", answer.now),
    Section("answer", "The best design now", believed=answer.answer),
    Section("matter", "Which constraints matter?", believed=answer.constraints_that_matter),
    Section("what-if", "What if a limit were different?", answer.what_if, live=True),
    Section("outlook", "Is more money worth it?", believed=lambda known, found: trust.outlook(known, found.outlook)),
    Section("progress", "Progress", believed=lambda known, found: course.progress(known, found.convergence)),
    Section("money", "Where the money went", course.money),
    Section("decisions", "Why these evaluations?", course.decisions),
    Section("running", "Under way", course.running),
    Section("failures", "Failures", course.failures),
    Section("honesty", "Can the models be trusted?", believed=trust.honesty),
    Section("slices", "Along each parameter", believed=shape.slices),
    Section("boundaries", "Boundaries", believed=shape.boundaries),
)
EVALUATED = frozenset(("outlook", "progress", "money", "decisions", "running", "failures", "honesty"))
"""Of no interest where every function has a formula."""


def write(study: Study, path: Path, name: str = "study", budget: float | None = None) -> Path:
    """Write the page of a study, replacing the file as a whole."""
    known, found = gathered(study, name, budget)
    content = document(known, found).encode()
    place = Path(os.path.realpath(path))
    half = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        half.write_bytes(content)
        os.replace(half, place)
    except OSError as error:
        got, way_out = (
            f"an error ({error.strerror or error})",
            "check the folder and its permissions, or give another name",
        )
        raise StudyError.of(f"Report {str(path)!r}", "a file that can be written", got, way_out) from error
    finally:
        half.unlink(missing_ok=True)
    return path


def gathered(study: Study, name: str, budget: float | None) -> tuple[Facts, Beliefs | None]:
    """All that is shown. The models are asked first, so that the rest is not older than what they say."""
    found = beliefs(study, budget)
    label = Label(name, study.method, study.seed, budget)
    return facts(study.problem, study.history, label, study.leases()), found


def bodies(
    known: Facts,
    found: Beliefs | None,
    waiting: bool = False,
    live: bool = False,
    before: Mapping[str, Markup] | None = None,
) -> dict[str, Markup]:
    """The content of every section by its id. waiting: the models are being asked. before: what they said, rendered."""
    made: dict[str, Markup] = {}
    for each in SECTIONS:
        if (each.live and not live) or (each.id in EVALUATED and not known.problem.simulated):
            continue
        kept = (before or {}).get(each.id) if each.known is None else None
        body = _body(each, known, found, waiting) if kept is None else kept
        if body is not None:
            made[each.id] = body
    return made


def _body(section: Section, known: Facts, found: Beliefs | None, waiting: bool) -> Markup | None:
    if section.known is not None:
        return section.known(known)
    assert section.believed is not None, "a section has content"
    if found is None:
        return tag("p", "Being computed …" if waiting else "There is no value yet.", class_="quiet")
    return section.believed(known, found)


def document(known: Facts, found: Beliefs | None) -> str:
    """The page as one file."""
    js = asset(JS)
    return _page(known, bodies(known, found), embedded(style(), js), tag("script", Markup(js)), live=False)


def live_document(known: Facts, found: Beliefs | None, waiting: bool, path: str = "") -> str:
    """The page of a server: the same, with its style and script beside it."""
    head = [tag("link", rel="stylesheet", href=f"{path}/{CSS}")]
    script = tag("script", src=f"{path}/{JS}", defer=True)
    return _page(known, bodies(known, found, waiting, live=True), head, script, live=True)


def style() -> str:
    return styled(asset(CSS))


def digest(body: str) -> str:
    """By which a page knows that a section has changed."""
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def _page(known: Facts, parts: dict[str, Markup], head: list[Markup], script: Markup, live: bool) -> str:
    sections = [_section(each, parts[each.id], live) for each in SECTIONS if each.id in parts]
    main = tag("main", _header(known, parts, live), sections, _about(known), _footer(known))
    return framed(f"{known.name}: {headline(known.problem)}", head, main, script)


def _section(section: Section, body: Markup, live: bool) -> Markup:
    title = tag("h2", section.title, id=f"{section.id}-title") if section.title else None
    inner = tag("div", body, class_="body", data_section=section.id, data_digest=digest(body) if live else None)
    return tag("section", title, inner, id=section.id, aria_labelledby=f"{section.id}-title" if title else None)


def _header(known: Facts, parts: dict[str, Markup], live: bool) -> Markup:
    nav = contents((each.id, each.title) for each in SECTIONS if each.title and each.id in parts)
    state = tag("p", tag("span", "connecting …", id="live"), class_="live") if live else None
    return tag("header", tag("h1", known.name), tag("p", headline(known.problem), class_="sub"), state, nav)


def _about(known: Facts) -> Markup:
    problem = known.problem
    functions = [[name, _kind(known, name), limit(problem, name), _cost(problem, name)] for name in problem.functions]
    groups = [f"{group.name} ({' + '.join(group.functions)}) for {number(group.cost)}" for group in problem.groups]
    setups = [f"{each.name} (for {' and '.join(each.functions)}), {number(each.cost)}" for each in problem.setups]
    sizes = f"{count(len(problem.parameters), 'parameter')}, {count(len(problem.constraints), 'constraint')}"
    what = f"Method {known.method}, seed {known.seed}; {sizes}."
    body = joined(
        tag("p", what),
        tag("div", table(["function", "is", "goal or limit", "cost"], functions, class_="words"), class_="scroll"),
        tag("p", f"Paid once per point: {', '.join(setups)}.") if setups else None,
        tag("p", f"Bought together: {', '.join(groups)}.") if groups else None,
        tag("p", NUMBERS),
    )
    return tag("section", tag("h2", "The problem"), tag("div", body, class_="body"), id="about")


def _kind(known: Facts, name: str) -> str:
    kind = "objective" if name == known.problem.objective.name else "constraint"
    return kind if name in known.problem.simulated else f"{kind}, known by a formula"


def _footer(known: Facts) -> Markup:
    counts = f"{count(known.values, 'value')} · {count(known.suggestions, 'suggestion')}"
    return tag("footer", tag("p", f"taut {__version__} · {counts}"))


def _cost(problem: Problem, name: str) -> str:
    """Of one evaluation of a function, with its group."""
    return "measured" if problem.measured else number(problem.cost([name]))
