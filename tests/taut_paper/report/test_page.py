"""The report: complete, self-contained, the same bytes each time, and at home with whatever was run."""

import re
from dataclasses import replace

import pytest
from synthetic_traces import COSTS, Made, make, results_of, world

from taut_paper.experiments import EXPERIMENTS
from taut_paper.report.page import Written, render, write
from taut_paper.traces import Results

SECTIONS = ("run", "summary", *("baseline", "redundant", "costs", "ablation", "engineering", "presets"), "stuck",
            "claims", "again")  # fmt: skip
TF2 = "test_function_2"


@pytest.fixture(scope="module")
def results() -> Results:
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
def written(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write(results, tmp_path_factory.mktemp("whole") / "report.html")


@pytest.fixture(scope="module")
def page(written: Written) -> str:
    return written.page.read_text(encoding="utf-8")


class TestPage:
    def test_has_every_section_and_an_entry_for_it(self, page: str) -> None:
        assert re.findall(r'<section[^>]* id="([^"]+)"', page) == list(SECTIONS)
        assert re.findall(r'<a href="#([^"]+)"', page) == list(SECTIONS)

    def test_needs_nothing_else(self, page: str) -> None:
        assert not re.search(r"https?:|<script|<link|<img|<iframe|@import|url\((?!#)", page)

    def test_its_figures_may_have_their_styles(self, page: str) -> None:
        assert 'style="' in page and "style-src &#x27;unsafe-inline&#x27;" in page

    def test_is_well_formed_where_it_matters(self, page: str) -> None:
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', page)) <= set(ids)
        for tag in ("section", "table", "tr", "figure", "svg", "details", "article"):
            assert page.count(f"<{tag}") - page.count(f"</{tag}>") == 0

    def test_has_all_claims_with_both_presets(self, page: str) -> None:
        assert re.findall(r'<article class="claim" id="C(\d+)"', page) == [str(n) for n in range(1, 36)]
        assert page.count("<dt>preset paper</dt>") == 35

    def test_same_results_same_bytes(self, results: Results, page: str, written: Written) -> None:
        text, drawn = render(Results(reversed(list(results))))
        assert text == page
        for picture, svg in drawn:
            assert (written.page.parent / "figures" / f"{picture.name}.svg").read_text(encoding="utf-8") == svg

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
    def test_one_experiment(self) -> None:
        made = Made(sets=("f", "c1", "c5", "c11"), seeds=2, budget=40.0)
        page = render(results_of({("speed_reducer", "dckg"): made}))[0]
        assert EXPERIMENTS["speed_reducer"].title in page
        assert "Not run." in page

    def test_nothing_decided(self) -> None:
        page = render(Results([make("mystery", "dckg", 0, Made(budget=0.5))]))[0]
        assert "repetitions with 0 decisions" in page
        assert page.count("no data") >= 2 * 34  # all claims with both presets but the one that is computed

    def test_methods_and_experiments_of_the_user(self) -> None:
        made = Made(budget=20.0, sets=("f", "c"))
        mine = [make("mystery", name, 0, made) for name in ("dckg", "pesc-coupled", "<new>")]
        mine += [replace(trace, repetition=replace(trace.repetition, experiment="my & own")) for trace in mine]
        page = render(Results(mine))[0]
        assert "Other experiments" in page
        assert "my &amp; own" in page and "&lt;new&gt;" in page and "<new>" not in page
