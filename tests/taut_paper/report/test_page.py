"""The report: complete, self-contained, the same bytes each time, and at home with whatever was run."""

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner, Result
from synthetic_traces import Made, make, results_of, world

from taut.app.cli.main import main
from taut_paper import curves
from taut_paper.experiments import COSTS, EXPERIMENTS, PARTS, SCALES, Arm
from taut_paper.figures import draw, files
from taut_paper.figures.style import METHODS, SETTINGS, Style, method_style
from taut_paper.repetition import Step
from taut_paper.report import headline, parts, tables
from taut_paper.report.page import Written, write
from taut_paper.results import Store
from taut_paper.traces import Results, Trace

SECTIONS = ("run", "summary", *("baseline", "redundant", "costs", "ablation", "engineering", "presets"), "stuck",
            "claims", "again")  # fmt: skip
TF2 = "test_function_2"


def everything() -> Results:
    """Two seeds and small budgets, with arms of every kind."""
    small = {"seeds": 2, "budget": 40.0, "jitter": 0.3}
    left_out = [name for name in COSTS if name not in ("mystery-f=5", "mystery-c=5", "test_function_2-c2=5")]
    cells = [(cell, replace(made, **small)) for cell, made in world().items() if cell[0] not in left_out]
    cells += [((TF2, method), Made(preset="paper", **small)) for method in ("dckg", "cei", "dckg-uncoupled")]
    cells += [(("mystery-c=5", "dckg"), Made(preset="paper", sets=("f", "c"), **small))]
    cells += [(("mystery", "ucb-d"), Made(sets=("f", "c"), **small)), (("mystery", "random"), Made(**small))]
    cells += [(("speed_reducer", "dckg"), Made(sets=("f", "c1", "c5", "c11"), **small))]
    return results_of(cells)


@pytest.fixture(scope="module")
def results() -> Results:
    return everything()


@pytest.fixture(scope="module")
def written(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write(results, tmp_path_factory.mktemp("whole") / "report.html")


@pytest.fixture(scope="module")
def page(written: Written) -> str:
    return written.page.read_text(encoding="utf-8")


def page_of(results: Results, folder: Path) -> str:
    return write(results, folder / "report.html").page.read_text(encoding="utf-8")


def pick(results: Iterable[Trace], *experiments: str) -> Results:
    return Results(trace for trace in results if trace.repetition.experiment in experiments)


class TestPage:
    def test_has_every_section_and_an_entry_for_it(self, page: str) -> None:
        assert re.findall(r'<section[^>]* id="([^"]+)"', page) == list(SECTIONS)
        assert re.findall(r'<a href="#([^"]+)"', page) == list(SECTIONS)

    def test_needs_nothing_else(self, page: str) -> None:
        assert not re.search(r"https?:|<script|<link|<img|<iframe|@import|url\((?!#)", page)

    def test_is_well_formed_where_it_matters(self, page: str) -> None:
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', page)) <= set(ids)
        for tag in ("section", "table", "tr", "figure", "svg", "details", "article"):
            assert page.count(f"<{tag}") - page.count(f"</{tag}>") == 0

    def test_has_all_claims_with_both_presets(self, page: str) -> None:
        assert re.findall(r'<article class="claim" id="C(\d+)"', page) == [str(n) for n in range(1, 36)]
        assert page.count("<dt>preset paper</dt>") == 35

    def test_same_results_same_bytes(self, results: Results, written: Written, tmp_path: Path) -> None:
        shuffled = Results(reversed(list(everything())))
        again = write(shuffled, tmp_path / "report.html")
        assert again.page.read_bytes() == written.page.read_bytes()
        for one in sorted(written.page.parent.glob("figures/*")):
            assert (tmp_path / "figures" / one.name).read_bytes() == one.read_bytes()

    def test_figures_are_files_too(self, page: str, written: Written) -> None:
        names = re.findall(r'<figure id="([^"]+)"', page)
        assert len(names) == written.figures == len(set(names))
        for name in names:
            whole = (written.page.parent / "figures" / f"{name}.svg").read_text(encoding="utf-8")
            assert whole.startswith("<?xml") and 'xmlns="http://www.w3.org/2000/svg"' in whole
            assert (written.page.parent / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")

    def test_says_what_was_not_run(self, page: str) -> None:
        assert "ucb-d, cmes, random on" in page
        assert "everything on 3 experiments (Welded beam; Pressure vessel; Spring)" in page

    def test_says_how_to_run_it_again(self, page: str) -> None:
        assert "--budget 40 --seeds 0-1" in page
        assert "Made with taut 0." in page


class TestFewResults:
    @pytest.mark.parametrize("experiment", ["mystery_redundant8", "speed_reducer"])
    def test_one_experiment(self, results: Results, experiment: str, tmp_path: Path) -> None:
        page = page_of(pick(results, experiment), tmp_path)
        assert EXPERIMENTS[experiment].title in page
        assert "Not run." in page

    def test_one_seed_of_one_coupled_method(self, tmp_path: Path) -> None:
        page = page_of(Results([make("mystery", "cei", 3, Made(budget=20.0))]), tmp_path)
        assert "over 1 seed." in page
        assert "evaluations-baseline" not in page

    def test_only_the_settings_of_the_paper(self, tmp_path: Path) -> None:
        page = page_of(Results([make("mystery", "dckg", 0, Made(budget=20.0, preset="paper"))]), tmp_path)
        assert "preset paper" in page

    def test_zero_is_drawn_at_the_floor(self, tmp_path: Path) -> None:
        trace = make("mystery", "dckg", 0, Made(budget=20.0, sets=("f", "c")))
        page = page_of(Results([replace(trace, oc=np.zeros_like(trace.oc))]), tmp_path)
        assert "Values below 4.1e\N{NON-BREAKING HYPHEN}7, and 0, are drawn at that floor" in page

    def test_times_that_were_not_kept(self, tmp_path: Path) -> None:
        trace = make("mystery", "dckg", 0, Made(budget=20.0))
        page = page_of(Results([replace(trace, ask_seconds=np.full_like(trace.ask_seconds, np.nan))]), tmp_path)
        assert "CPU time of a decision" not in page

    def test_nothing_decided(self, tmp_path: Path) -> None:
        trace = make("mystery", "dckg", 0, Made(budget=0.5))
        assert len(trace.spent) == 1
        page_of(Results([trace]), tmp_path)

    def test_methods_and_experiments_of_the_user(self, tmp_path: Path) -> None:
        made = Made(budget=20.0, sets=("f", "c"))
        mine = [make("mystery", name, 0, made) for name in ("dckg", "pesc-coupled", "<new>")]
        mine += [replace(trace, repetition=replace(trace.repetition, experiment="my & own")) for trace in mine]
        page = page_of(Results(mine), tmp_path)
        assert "Other experiments" in page
        assert "my &amp; own" in page and "&lt;new&gt;" in page and "<new>" not in page

    def test_different_budgets(self, tmp_path: Path) -> None:
        mine = [make("mystery", "dckg", seed, Made(budget=20.0 + seed, sets=("f", "c"))) for seed in range(3)]
        page = page_of(Results(mine), tmp_path)
        assert "20 or 21 or 22" in page
        assert "at a cost of 20." in page


class TestNumbers:
    def test_counts_end_at_the_counts_of_the_trace(self) -> None:
        mine = results_of({("mystery", "dckg"): Made(sets=("f", "c", "c"), budget=31.0, seeds=3)})
        panel = curves.count_panel(mine, "mystery", Arm("dckg"))
        assert {line.label: line.middle[-1] for line in panel.lines} == {"f": 11.0, "c": 20.0}

    def test_many_functions_are_put_together(self) -> None:
        redundant = curves.function_groups(make("mystery_redundant8", "cei", 0, Made()))
        assert list(redundant) == ["f", "c1", "redundant constraints (mean)"]
        speed = curves.function_groups(make("speed_reducer", "cei", 0, Made()))
        assert sorted(column for group in speed.values() for column in group) == list(range(12))

    def test_shares_of_sets(self) -> None:
        mine = results_of({(TF2, "dckg"): Made(sets=("f", "c1+c3"), budget=30.0, seeds=2)}).traces(TF2, "dckg")
        found = curves.choices(mine, "", ["f"])
        assert found.sets == ("f", "other")
        assert np.allclose(found.share.sum(axis=0), 1.0)
        assert curves.common_sets([mine]) == ["f", "c1+c3"]

    def test_coupled_methods_are_told_apart(self) -> None:
        mine = results_of({("mystery", "cei"): Made(seeds=1), ("mystery", "dckg"): Made(sets=("f", "c"), seeds=1)})
        assert [curves.is_decoupled(mine.traces("mystery", name)) for name in ("cei", "dckg")] == [False, True]

    def test_wasted_evaluations(self) -> None:
        mine = results_of({("mystery_redundant8", "cei"): Made(budget=25.0, seeds=1)})
        table = tables.wasted_table(mine, "mystery_redundant8", [Arm("cei")])
        assert table is not None
        assert [cell.text for cell in table.rows[0]] == ["cei", "16", "16 to 16", "80 %", "0 / 1"]
        assert tables.wasted_table(mine, "mystery", [Arm("cei")]) is None

    def test_best_method_is_strong(self) -> None:
        ends = {("mystery", "dckg"): Made(end=-5.0, seeds=6), ("mystery", "cei"): Made(end=-3.0, seeds=6)}
        table = tables.arm_table(results_of(ends), "mystery", [Arm("dckg"), Arm("cei")])
        assert [row[2].strong for row in table.rows] == [True, False]
        assert table.rows[0][4].text == "–" and table.rows[1][4].text == "0.031"

    @pytest.mark.parametrize(
        ("value", "text"), [(1.44e-6, "1.4e-6"), (0.0, "0"), (2.5, "2.5"), (4153.6, "4154"), (float("nan"), "–")]
    )
    def test_small_numbers(self, value: float, text: str) -> None:
        assert tables.small(value) == text

    def test_command_for_the_whole_plan(self) -> None:
        everything = [
            make(name, arm.method, 0, Made(preset=arm.preset, budget=SCALES["quick"].budget(EXPERIMENTS[name])))
            for name in EXPERIMENTS
            for arm in {arm for part in PARTS.values() if name in part.experiments for arm in part.arms}
        ]
        assert headline.commands(Results(everything))[0] == "taut bench run paper --scale quick --seeds 0"


class TestFigures:
    def test_every_method_of_the_plan_has_its_own_look(self) -> None:
        planned = {arm.method for part in PARTS.values() for arm in part.arms}
        assert planned <= set(METHODS)
        looks = [(style.colour, style.dashes, style.marker) for style in METHODS.values()]
        assert len(set(looks)) == len({style.colour for style in METHODS.values()}) == len(METHODS)
        assert method_style("b", ["a", "b"]) != method_style("a", ["a", "b"])

    def test_inner_points_of_flat_stretches_are_left_out(self) -> None:
        steps = np.array([3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0])
        line = curves.Line("", Style("#000000"), np.arange(7.0), steps, steps, steps)
        assert draw._corners(line).tolist() == [True, False, True, True, False, False, True]

    @pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (1e-12, "10⁻¹²"), (1e3, "10³")])
    def test_powers(self, value: float, text: str) -> None:
        assert draw.power_of_ten(value) == text

    def test_paths_of_lines_are_short_and_others_whole(self) -> None:
        assert files._shorter("M 1.23456 2 \nL 3.0001 4 \nz") == "M 1.23 2 3 4 z"
        assert files._shorter("M 1 2 \nL 3 4 \nC 1 2 3 4 5 6") == "M 1 2 L 3 4 C 1 2 3 4 5 6"

    def test_nothing_global_is_changed(self, results: Results) -> None:
        before = {name: matplotlib.rcParams[name] for name in SETTINGS}
        for picture in parts.sections(pick(results, "mystery"))[0].pictures[:1]:
            files.svg(picture.figure, picture.name)
        assert {name: matplotlib.rcParams[name] for name in SETTINGS} == before
        assert before["font.size"] != SETTINGS["font.size"]


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        store = Store(tmp_path / "results")
        for seed in range(2):
            trace = make("mystery", "dckg", seed, Made(budget=6.0, sets=("f", "c")))
            store.add(trace.repetition, [_step(trace, i) for i in range(len(trace.spent))])
        return tmp_path / "results"

    def test_writes_beside_the_results(self, folder: Path) -> None:
        result = call("--out", str(folder))
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"wrote {folder / 'report.html'}, and 2 figures to {folder / 'figures'}\n"
        assert (folder / "figures" / "oc-baseline.svg").exists()

    def test_writes_where_told(self, folder: Path, tmp_path: Path) -> None:
        assert call("--out", str(folder), "-o", str(tmp_path / "new" / "page.html")).exit_code == 0
        assert (tmp_path / "new" / "page.html").exists()
        assert not (folder / "report.html").exists()

    def test_claims_as_json(self, folder: Path) -> None:
        result = call("--out", str(folder), "--json")
        found = json.loads(result.stdout)
        assert len(found) == 70
        assert {"id", "preset", "verdict", "claim", "numbers", "rule", "details"} == set(found[0])
        assert not (folder / "report.html").exists()

    def test_no_results(self, tmp_path: Path) -> None:
        result = call("--out", str(tmp_path))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("Error: Results ") and result.stderr.count("\n") == 1

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_nothing_finished(self, options: list[str], tmp_path: Path) -> None:
        Store(tmp_path)
        result = call("--out", str(tmp_path), *options)
        assert result.exit_code == 2
        assert "expected finished repetitions, got none" in result.stderr

    @pytest.mark.parametrize("package", ["matplotlib", "jinja2"])
    def test_says_what_to_install(self, package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in [name for name in sys.modules if name.startswith("taut_paper.report.page")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr("taut_paper.report.page")
        for name in [name for name in sys.modules if name.startswith(("taut_paper.figures", package))]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)
        result = call("--out", str(folder))
        assert result.exit_code == 2
        assert "run pip install 'taut[bench]'" in result.stderr

    def test_help_has_an_example(self) -> None:
        assert "taut bench report" in call("--help").stdout


def call(*args: str) -> Result:
    return CliRunner().invoke(main, ["bench", "report", *args])


def _step(trace: Trace, i: int) -> Step:
    names = [name for name, flag in zip(trace.names, trace.evaluated[i], strict=True) if flag]
    place = tuple(float(u) for u in trace.point[i]) if i else ()
    best = tuple(float(u) for u in trace.recommended[i])
    return Step(float(trace.spent[i]), tuple(names), tuple(names), place, best, float(trace.oc[i]), 0.1, 0.1)
