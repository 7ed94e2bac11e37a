"""The parts of the report: which figures and tables belong to which experiments. What was not run is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from taut_paper import curves
from taut_paper.curves import Panel, title
from taut_paper.experiments import PAPER, PARTS, Arm, Part
from taut_paper.figures import draw
from taut_paper.figures.draw import Grid
from taut_paper.figures.style import method_style
from taut_paper.report import tables
from taut_paper.report.claims import presets_table
from taut_paper.report.tables import Table, methods_of, presets_of
from taut_paper.traces import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with its caption; name: of its files."""

    name: str
    caption: str
    figure: Figure

    @property
    def narrow(self) -> bool:
        """Less wide than the page."""
        return float(self.figure.get_size_inches()[0]) < draw.WIDTH


@dataclass(slots=True)
class Section:
    """A part of the page; folded tables are for reference and can be closed on the screen."""

    id: str
    title: str
    lead: str = ""
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def sections(results: Results) -> list[Section]:
    """All parts in the order of the plan, then experiments that no part has."""
    made = [_comparison(results, PARTS[name]) for name in ("baseline", "redundant", "costs")]
    made += [_ablation(results), _comparison(results, PARTS["engineering"]), _presets(results)]
    planned = {name for part in PARTS.values() for name in part.experiments}
    others = tuple(name for name in results.experiments if name not in planned)
    if others:
        made.append(_comparison(results, Part("others", "Other experiments", others, ())))
    return made


# --- Methods compared


def _comparison(results: Results, part: Part) -> Section:
    """Opportunity cost, evaluations per function and numbers for each experiment of a part."""
    section = Section(part.name, part.title, part.lead, missing=not_run(results, part))
    present = [name for name in part.experiments if _methods(results, name)]
    for label, group in _by_problem(results, present).items():
        end = f"-{label}" if len(group) < len(present) else ""
        _add_costs(results, section, group, end)
        _add_counts(results, section, group, end)
    for experiment in present:
        arms = [Arm(method) for method in _methods(results, experiment)]
        section.folded.append(tables.arm_table(results, experiment, arms))
        if waste := tables.wasted_table(results, experiment, arms):
            section.tables.append(waste)
    return section


def _methods(results: Results, experiment: str) -> list[str]:
    return [method for method in methods_of(results) if results.traces(experiment, method)]


def _by_problem(results: Results, experiments: Sequence[str]) -> dict[str, list[str]]:
    """Experiments that differ only in costs go into one figure; where none do, all of them."""
    problems = {trace.repetition.experiment: trace.repetition.problem for trace in results}
    groups: dict[str, list[str]] = {}
    for name in experiments:
        groups.setdefault(problems[name], []).append(name)
    alone = all(len(group) == 1 for group in groups.values())
    return {"all": list(experiments)} if alone and experiments else groups


def _add_costs(results: Results, section: Section, experiments: Sequence[str], end: str) -> None:
    """One figure with the methods of the paper, one with the others beside dckg."""
    known = methods_of(results)
    own = [name for name in known if name in PAPER]
    others = [name for name in known if name not in PAPER and name != "dckg-uncoupled"]
    further = [name for name in others if any(results.traces(each, name) for each in experiments)]
    for kind, methods, what in (
        ("", own, "of the methods of the paper"),
        ("-further", ["dckg", *further] if further else [], "of further methods beside dckg"),
    ):
        panels = [curves.oc_panel(results, name, [Arm(each) for each in methods], known) for name in experiments]
        if any(panel.lines for panel in panels):
            seeds = _seeds(results, experiments, methods)
            _add_oc(
                section, f"oc-{section.id}{end}{kind}", panels, Grid(3 if len(experiments) == 3 else 2), what, seeds
            )


def _add_oc(section: Section, name: str, panels: Sequence[Panel], grid: Grid, what: str, seeds: str = "seeds") -> None:
    caption = f"Opportunity cost {what}: median and quartiles over {seeds}.{_floors(panels)}"
    section.pictures.append(Picture(name, caption, draw.cost_panels(panels, grid)))


def _seeds(results: Results, experiments: Sequence[str], methods: Sequence[str], preset: str = "default") -> str:
    """'40 seeds', or '2 to 40 seeds' if arms differ."""
    counts = {len(found) for each in experiments for name in methods if (found := results.traces(each, name, preset))}
    low, high = min(counts), max(counts)
    return f"{low} to {high} seeds" if low < high else f"{low} seed{'s' if low > 1 else ''}"


def _floors(panels: Sequence[Panel]) -> str:
    """What the thin line at the bottom means, where there is one."""
    reached = [panel for panel in panels if draw.reaches_floor(panel)]
    if not reached:
        return ""
    unbroken = "\N{NON-BREAKING HYPHEN}"
    values = ", ".join(dict.fromkeys(tables.small(panel.floor).replace("-", unbroken) for panel in reached))
    return f" Values below {values}, and 0, are drawn at that floor (thin line)."


def _add_counts(results: Results, section: Section, experiments: Sequence[str], end: str) -> None:
    """A row per experiment, a column per decoupled method."""
    methods = [
        name
        for name in methods_of(results)
        if name != "dckg-uncoupled" and any(curves.is_decoupled(results.traces(each, name)) for each in experiments)
    ]
    if not methods:
        return
    panels = []
    for experiment in experiments:
        panels += [curves.count_panel(results, experiment, Arm(name), title(experiment)) for name in methods]
    caption = (
        "Evaluations of each function after the initial design, methods that choose what to evaluate: median and "
        f"quartiles over {_seeds(results, experiments, methods)}."
    )
    figure = draw.count_panels(panels, Grid(len(methods), 1.3, shared=True))
    section.pictures.append(Picture(f"evaluations-{section.id}{end}", caption, figure))


def not_run(results: Results, *parts: Part) -> list[str]:
    """What parts have in the plan and the results do not: methods, with the experiments that they are missing on."""
    absent: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for experiment in part.experiments:
            arms = [arm for arm in part.arms if not results.traces(experiment, arm.method, arm.preset)]
            absent[experiment] = tuple("everything" if len(arms) == len(part.arms) else arm.label for arm in arms)
    groups: dict[tuple[str, ...], list[str]] = {}
    for experiment, labels in absent.items():
        groups.setdefault(tuple(dict.fromkeys(labels)), []).append(title(experiment))
    every = f"all {len(absent)} experiments"
    return [
        f"{', '.join(labels)} on {every if 1 < len(titles) == len(absent) else _list(titles)}"
        for labels, titles in groups.items()
        if labels
    ]


def _list(titles: Sequence[str]) -> str:
    return " and ".join(titles) if len(titles) < 3 else f"{len(titles)} experiments ({'; '.join(titles)})"


# --- Ablation


def _ablation(results: Results) -> Section:
    """dckg with and without its coupled step, with every preset."""
    part = PARTS["ablation"]
    section = Section(part.name, part.title, part.lead, missing=not_run(results, part))
    both = [arm.method for arm in part.arms]
    for experiment in part.experiments:
        presets = [name for name in presets_of(results) if results.traces(experiment, "dckg-uncoupled", name)]
        arms = [Arm(method, preset) for preset in presets for method in both]
        arms = [arm for arm in arms if results.traces(experiment, arm.method, arm.preset)]
        if arms:
            _add_ablation(results, section, experiment, arms)
    return section


def _add_ablation(results: Results, section: Section, experiment: str, arms: Sequence[Arm]) -> None:
    found = {arm: results.traces(experiment, arm.method, arm.preset) for arm in arms}
    presets = list(dict.fromkeys(arm.preset for arm in arms))
    panels = []
    for preset in presets:
        own = [arm for arm in arms if arm.preset == preset]
        panel = curves.oc_panel(results, experiment, own)
        lines = (replace(line, label=line.label.split(" (")[0]) for line in panel.lines)  # the title says the preset
        panels.append(replace(panel, title=f"{panel.title}, {curves.words(preset)}", lines=tuple(lines)))
        section.tables.append(tables.arm_table(results, experiment, own))
    seeds = _seeds(results, [experiment], [arm.method for arm in arms], presets[0])
    _add_oc(section, "oc-ablation", panels, Grid(2), "with and without the coupled step", seeds)
    clouds = [curves.cloud(arm.label, method_style(arm.method), traces) for arm, traces in found.items()]
    caption = "Spread at the end of the budget: one mark per seed, with the median (bar) and the quartiles (band)."
    section.pictures.append(Picture("spread-ablation", caption, draw.spread(clouds)))
    order = curves.common_sets(list(found.values()))
    shares = [curves.choices(traces, arm.label, order) for arm, traces in found.items()]
    caption = "Sets of functions that were chosen, as shares of the decisions in each tenth of the budget."
    section.pictures.append(Picture("sets-ablation", caption, draw.share_panels(shares)))


# --- Presets


def _presets(results: Results) -> Section:
    """The library default against other settings, method by method; the ablation has a section of its own."""
    part = PARTS["presets"]
    missing = not_run(results, part, PARTS["presets-pesc"], PARTS["presets-costs"])
    section = Section(part.name, part.title, part.lead, missing=missing)
    presets = presets_of(results)
    several: dict[str, list[str]] = {}
    single: dict[str, str] = {}
    for experiment in results.experiments:
        arms = Counter(arm.method for arm in results.arms(experiment) if arm.method != "dckg-uncoupled")
        methods = [method for method in methods_of(results) if arms[method] > 1]
        if len(methods) > 1:
            several[experiment] = methods
        elif methods:
            single[experiment] = methods[0]
    _add_preset_grid(results, section, presets, several)
    _add_preset_row(results, section, presets, single)
    if table := presets_table(results):
        section.tables.append(table)
    return section


def _add_preset_grid(
    results: Results, section: Section, presets: Sequence[str], several: Mapping[str, Sequence[str]]
) -> None:
    """A row per experiment, a column per method."""
    methods = [name for name in methods_of(results) if any(name in own for own in several.values())]
    panels = [
        curves.preset_panel(results, experiment, method, presets if method in own else (), title(experiment))
        for experiment, own in several.items()
        for method in methods
    ]
    if panels:
        _add_oc(section, "oc-presets", panels, Grid(len(methods), 1.4, shared=True), f"with {_and(presets)}")


def _add_preset_row(results: Results, section: Section, presets: Sequence[str], single: Mapping[str, str]) -> None:
    """A panel per experiment, for those that have one method only."""
    panels = []
    for experiment, method in single.items():
        heading = title(experiment).replace(", ", ",\n")
        panel = curves.preset_panel(results, experiment, method, presets)
        panels.append(replace(panel, title=f"{heading}\n{method}"))
    if panels:
        what = f"of {' and '.join(dict.fromkeys(single.values()))} with {_and(presets)}"
        _add_oc(section, "oc-presets-costs", panels, Grid(min(4, len(panels)), 1.4, titles=3), what)


def _and(presets: Sequence[str]) -> str:
    return " and ".join(curves.words(name) for name in presets)
