"""The trust arena (benchmarks/trust.py): changes of the stated sizes, references, resumable runs, arithmetic."""

import importlib
import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
PLACES = np.random.default_rng(7).random((400, 2))


@pytest.fixture
def arena(monkeypatch):
    """Imports a module of the arena."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return lambda name: importlib.import_module(f"arena.{name}")


@pytest.fixture
def trust(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("trust")


def added(changed, name, places=PLACES):
    """What the change adds to a function at places [n, d], in spreads."""
    points = [changed.box.point(u) for u in places]
    values = [changed(name, point) - changed.bench.functions[name](point) for point in points]
    return np.array(values) / changed.box.spread[name]


# --- Changes


@pytest.mark.parametrize("digits", [3, 4])
def test_significant_digits(arena, digits):
    changed = arena("variants").Changed("constrained_branin", f"sig{digits}")
    values = [changed("f", changed.box.point(u)) for u in PLACES]
    assert all(float(f"{y:.{digits - 1}e}") == y for y in values)
    assert any(float(f"{y:.{digits - 2}e}") != y for y in values)


def test_decimal_step_is_about_a_thousandth_of_the_spread(arena):
    changed = arena("variants").Changed("mystery", "dec3")
    worst = np.abs(added(changed, "f")).max()
    assert 0.5 * 3e-4 <= 1.05 * worst and worst <= 0.5 * 3e-3
    values = [changed("f", changed.box.point(u)) for u in PLACES]
    step = 10.0 ** math.floor(math.log10(3e-3 * changed.box.spread["f"]))
    assert all(abs(y / step - round(y / step)) < 1e-6 for y in values)


@pytest.mark.parametrize("variant, size", [("hash4", 1e-4), ("hash2", 1e-2)])
def test_solver_noise_is_normal_fixed_and_of_the_stated_size(arena, variant, size):
    changed = arena("variants").Changed("mystery", variant)
    noise = added(changed, "f")
    assert np.std(noise) == pytest.approx(size, rel=0.1) and abs(np.mean(noise)) < 0.2 * size
    assert np.array_equal(noise, added(changed, "f"))
    assert abs(np.corrcoef(noise, added(changed, "c"))[0, 1]) < 0.15


def test_noise_does_not_see_the_last_bits_of_a_place(arena):
    normal = arena("variants").normal
    u = np.array([0.123, 0.456])
    assert normal("f", u) == normal("f", u + 1e-13)
    assert normal("f", u) != normal("f", u + 1e-8)
    assert normal("f", u) != normal("c", u)


@pytest.mark.parametrize("problem", ["mystery", "test_function_2", "welded_beam"])
def test_jumps_are_one_to_three_percent_and_where_they_should_be(arena, problem):
    variants = arena("variants")
    for variant, distance in (("jumpat", 0.0), ("jumpoff", variants.AWAY)):
        changed = variants.Changed(problem, variant)
        for name in changed.bench.functions:
            w, _ = changed.planes[name]
            sides = changed.box.optimum + np.outer([distance - 1e-3, distance + 1e-3], w)
            inside = changed.box.unit(changed.box.point(sides[1]))
            if not np.allclose(inside, sides[1]):
                continue  # the optimum is at the edge of the box
            below, above = added(changed, name, sides)
            assert below == 0.0 and 0.01 <= above <= 0.03


def test_kink_and_wave(arena):
    variants = arena("variants")
    changed = variants.Changed("mystery", "kink")
    w, _ = changed.planes["c"]
    line = changed.box.optimum + np.outer(variants.KINK_AT + np.array([-0.1, 0.0, 0.1]), w)
    assert added(changed, "c", line) == pytest.approx([0.025, 0.0, 0.025], abs=1e-12)
    changed = variants.Changed("mystery", "wave")
    steps = np.linspace(0.0, variants.WAVELENGTH, 41)
    values = added(changed, "c", changed.box.optimum + np.outer(steps, w))
    assert np.abs(values).max() == pytest.approx(0.003, rel=0.01)
    assert values[0] == pytest.approx(values[-1]) and abs(values.mean()) < 1e-3


@pytest.mark.parametrize("variant, share", [("fail10", 0.1), ("fail33", 1 / 3), ("fail10r", 0.1), ("fail33r", 1 / 3)])
@pytest.mark.parametrize("problem", ["mystery", "constrained_branin", "test_function_2", "speed_reducer"])
def test_failures_take_their_share_and_leave_the_optimum(arena, problem, variant, share):
    changed = arena("variants").Changed(problem, variant)
    places = np.random.default_rng(8).random((3000, len(changed.box.low)))
    assert np.mean([changed.fails("f", u) for u in places]) == pytest.approx(share, abs=0.03)
    assert None not in changed.values(changed.bench.solution).values()


def test_random_failures_have_computable_neighbours(arena):
    changed = arena("variants").Changed("mystery", "fail33r")
    w, q = changed._failing
    region = [u for u in PLACES if w @ u > q]
    failed = [changed.fails("f", u) for u in region]
    assert 0.65 < np.mean(failed) < 0.95


def test_target_says_which_functions_change(arena):
    variants = arena("variants")
    point = variants.box("test_function_2").point(np.array([0.3, 0.7]))
    exact = variants.Changed("test_function_2", "exact").values(point)
    for target, names in (("all", {"f", "c1", "c2", "c3"}), ("objective", {"f"}), ("constraints", {"c1", "c2", "c3"})):
        values = variants.Changed("test_function_2", "hash2", target).values(point)
        assert {name for name in values if values[name] != exact[name]} == names
    with pytest.raises(ValueError, match="unknown variant 'hash9'"):
        variants.Changed("mystery", "hash9")


# --- References


@pytest.mark.parametrize("variant", ["hash2", "jumpat", "kink"])
def test_reference_is_feasible_and_attained(arena, variant, monkeypatch):
    reference, variants = arena("reference"), arena("variants")
    monkeypatch.setattr(reference, "EACH", 40)
    changed = variants.Changed("mystery", variant)
    best, at = reference.searched(changed, changed.box.optimum)
    assert reference.score(changed, np.array(at)) == best
    values = changed.values(changed.box.point(np.array(at)))
    assert changed.violation(values) <= 0.0
    assert reference.score(changed, changed.box.optimum) <= best


def test_search_finds_the_known_optimum_from_elsewhere(arena, monkeypatch):
    reference, variants = arena("reference"), arena("variants")
    monkeypatch.setattr(reference, "EACH", 100)
    changed = variants.Changed("test_function_2", "exact")
    best, _ = reference.searched(changed, changed.box.optimum + 0.01)
    assert changed.bench.optimum - 1e-6 < best <= changed.bench.optimum
    assert reference.reference(changed)[0] == changed.bench.optimum


def test_opportunity_cost_of_what_holds_and_what_does_not(arena):
    reference, variants = arena("reference"), arena("variants")
    changed = variants.Changed("mystery", "exact")
    best, penalty = changed.bench.optimum, changed.bench.penalty
    assert reference.opportunity_cost(changed, {"f": 1.0, "c": -0.1}) == best - 1.0
    assert reference.opportunity_cost(changed, {"f": 1.0, "c": 1e-3}) == best - penalty
    assert reference.opportunity_cost(changed, {"f": 1.0, "c": None}) == best - penalty
    assert reference.opportunity_cost(changed, {"f": None, "c": -0.1}) == best - penalty
    assert reference.opportunity_cost(changed, {"f": 2.0, "c": 1e-7}) == 0.0


# --- Cases


def test_cases_go_round_the_problems_in_blocks_of_seeds(arena):
    cases = arena("cases")
    plane = cases.selected(["plane"])
    assert len(plane) == 13 * 3
    assert {plane[0].changed(seed).problem for seed in range(20)} == set(cases.PLANE)
    runs = cases.ordered(plane, range(20))
    first = runs[: 5 * len(plane)]
    assert {seed for _, seed in first} == set(range(5)) and len({case.name for case, _ in first}) == len(plane)
    assert [case.name for case in cases.selected(["hash2"])] == ["hash2-all", "hash2-objective", "hash2-constraints"]
    with pytest.raises(SystemExit, match="'hash9' is unknown"):
        cases.selected(["hash9"])


# --- One run


@pytest.mark.parametrize("middle, sigma", [(0.0, 0.3), (2.0, 0.1), (-3.0, 0.5), (0.2, 1.5), (-1.0, 4.0)])
def test_error_on_the_scale_of_the_process(arena, middle, sigma):
    """A report made from a process on a changed scale gives back the process's own standardised error."""
    from taut.surrogate.warp import unwarp

    s, z = 0.7, 1.8
    spread = 0.5 * (unwarp(np.array(middle + sigma), s) - unwarp(np.array(middle - sigma), s))
    forecast = arena("belief").Forecast(float(unwarp(np.array(middle), s)), float(spread), s, 5.0, 6, sigma / 1.25)
    value = float(unwarp(np.array(middle + z * sigma), s))
    assert forecast.z(value) == pytest.approx(z)
    assert forecast.t(value) == pytest.approx(1.25 * z)


def test_error_where_nothing_was_left_open(arena):
    forecast = arena("belief").Forecast(2.0, 0.0, 0.0, 5.0, 6, 0.0)
    assert forecast.z(2.0) == 0.0
    assert forecast.z(1.0) == -arena("belief").CAP


@pytest.fixture
def small(arena, monkeypatch):
    """A case with a budget of four units."""
    cases = arena("cases")
    case = cases.Case("sig4-all", "sig4", "all", ("mystery", "test_function_2"), 4.0)
    monkeypatch.setitem(cases.CASES, "sig4-all", case)
    monkeypatch.setattr(arena("reference"), "EACH", 20)
    return case


def test_a_run_says_what_was_believed_before_values_came(arena, small):
    trial = arena("trial")
    row = trial.trial(trial.Run("now", "cei", "sig4-all", 0, verify=False))
    assert row["problem"] == "mystery" and row["spent"] == 4.0
    assert [each[0] for each in row["z"]] == ["f", "c", "f", "c"]  # cei evaluates everything
    assert [each[4] for each in row["z"]] == [6, 6, 7, 7] and all(math.isfinite(each[1]) for each in row["z"])
    assert [spent for spent, _ in row["trajectory"]] == [0.0, 2.0, 4.0]
    assert row["trajectory"][-1][1] == pytest.approx(row["answer"]["oc"], rel=1e-4)
    for _, z, _, nu, _, _, t in row["z"]:
        assert abs(z) <= abs(t) * 1.001 <= abs(z) * math.sqrt(nu / (nu - 2.0)) * 1.01
    held = row["held"]
    assert held is None or (held["feasible"] and held["oc"] >= 0.0)
    assert row["answer"]["feasible"] == (row["answer"]["violation"] <= 1e-6)
    json.dumps(row, allow_nan=False)


def test_run_store_and_resume(trust, arena, small, tmp_path, capsys):
    """The second call finds everything done; a half-written line is run again; an error is a row."""
    out = tmp_path / "rows.jsonl"
    command = ["run", "--label", "now", "--method", "cei", "--cases", "sig4-all", "--seeds", "0-1", "--out", str(out)]
    assert trust.main(command) == 0
    before = out.read_bytes()
    assert trust.main(command) == 0 and out.read_bytes() == before
    assert "2 of 2 runs are there" in capsys.readouterr().out
    lines = before.splitlines(keepends=True)
    out.write_bytes(lines[0] + lines[1][:100])
    assert trust.main(command) == 0
    assert "1 of 2 runs are there" in capsys.readouterr().out
    again = [json.loads(line) for line in (lines[0], out.read_bytes().splitlines()[-1])]
    assert [row["seed"] for row in again] == [0, 1]
    assert again[1]["answer"] == json.loads(lines[1])["answer"]  # a pure function of its settings
    assert trust.main([*command[:4], "no-method", *command[5:]]) == 1
    assert "no-method" in json.loads(out.read_text().splitlines()[-1])["error"]
    assert "2 runs raised" in trust.health([out])


# --- Arithmetic on made-up rows


def row(label="now", case="hash2-all", seed=0, z=(0.1, -4.0, 7.0, 0.2), **changes):
    """A run of Mystery of 8 units whose best value is 2."""
    answer = {
        "truth": {"f": 1.9, "c": -0.1},
        "mean": 1.8,
        "sd": 0.06,
        "probability": 0.995,
        "feasible": True,
        "oc": 0.1,
    }
    answer |= {"verified": True, "known": False}
    made = {"label": label, "method": "dckg", "verify": True, "case": case, "seed": seed, "problem": "mystery"}
    made |= {"reference": 2.0, "budget": 8.0, "spent": 8.0, "possible": True, "source": "s"}
    made |= {"z": [["f", each, each, 4.0, 5, 0.0, each] for each in z], "incumbent": {"oc": 0.1, "feasible": True}}
    made |= {
        "trajectory": [[0.0, 2.0], [4.0, 0.02], [7.0, 0.0002]],
        "ask_seconds": 0.4,
        "asks": 4,
        "verification": 0.25,
    }
    made["answer"] = answer | changes.pop("answer", {})
    return made | changes


def test_record_of_a_row(arena):
    record = arena("record")
    found = record.record(row())
    assert found.predictions == 4 and found.beyond == (2, 2, 2, 2, 2, 1, 1, 0, 0, 0)
    assert found.tails == (1, 0)  # with four degrees of freedom -4 is nothing special
    assert record.record(row(z=(7.0, 20.0))).tails == (2, 0)
    assert found.covered and not record.record(row(answer={"sd": 0.04})).covered
    assert found.oc == found.held == 0.05 and found.held_true and found.verified and found.rough
    assert found.area == pytest.approx(np.mean(np.log10([1, 1, 0.01, 0.01, 0.0001])))
    assert found.reached == 7.0
    assert record.record(row(trajectory=[[0.0, 2.0], [7.0, 0.02]])).reached is None
    assert found.ask_ms == 100.0 and found.verification == 0.25 and found.stopped == 0.0
    failed = record.record(
        row(answer={"truth": {"f": None, "c": 0.0}, "feasible": False, "verified": False}, incumbent=None)
    )
    assert not failed.covered and failed.held is None and failed.held_true is None


def test_kept_results_are_the_same_records(arena, tmp_path):
    record = arena("record")
    rows, kept = tmp_path / "rows.jsonl", tmp_path / "kept.jsonl"
    rows.write_text("\n".join(json.dumps(row(seed=seed)) for seed in (0, 1, 1)) + "\n")
    found = record.load([rows])
    assert [each.seed for each in found] == [0, 1]
    kept.write_text("".join(json.dumps(asdict(each)) + "\n" for each in found))
    assert record.load([kept]) == found
    assert [(each.variant, each.high) for each in found] == [("hash2", False)] * 2


def records(arena, label, false=0, **changes):
    """Twenty runs of a rough case, of which some certain answers are false, and of exact Mystery."""
    record = arena("record").record
    wrong = {"feasible": False, "oc": 84.0, "verified": False}
    rough = [
        record(
            row(label, seed=seed, incumbent=None, answer=wrong) if seed < false else row(label, seed=seed, **changes)
        )
        for seed in range(20)
    ]
    exact = [record(row(label, "exact-mystery", seed, z=(0.5,), **changes)) for seed in range(20)]
    return rough + exact


def test_figures(arena):
    fig = arena("figures")
    now, base = records(arena, "now"), records(arena, "today", false=5, ask_seconds=0.2)
    rough = [run for run in now if run.rough]
    assert fig.beyond(rough, 3.0) == 0.5 and fig.beyond(now, 6.0) == 20 / 100
    assert fig.true_share(base) == 35 / 40 and fig.verified_share(base) == 35 / 40
    assert fig.oc_quantile(now, 0.5) == 0.05 and fig.oc_quantile(base[:5], 0.5) == 42.0
    assert fig.oc_quantile(base[:5], 0.5, held=True) == fig.NONE
    assert len(fig.paired(now, base)) == 40
    tiny = [replace(run, held=3e-7, oc=1e-8) for run in now]
    assert fig.losses(fig.paired(tiny, tiny), 0.5) == (fig.BLUR, fig.BLUR)
    assert fig.cpu_ratio(fig.paired(now[20:], base[20:])) == 2.0
    assert fig.area_gain(fig.paired(now, base)) == 0.0
    assert math.isnan(fig.true_share([])) and math.isnan(fig.beyond([], 3.0))


def test_cost_of_failures_is_paired_with_the_exact_run(arena):
    fig, record = arena("figures"), arena("record").record
    exact = [record(row(case="exact-mystery", seed=seed)) for seed in range(3)]
    late = [[0.0, 2.0], [8.0, 0.0002]]
    runs = [record(row(case="fail33-all", seed=seed, trajectory=late)) for seed in range(3)]
    assert fig.failure_cost(runs, exact) == (pytest.approx(8 / 7), 3)
    assert arena("cases").initial_cost("mystery") == 12.0  # six points of two functions
    assert fig.failure_cost(runs, exact, lambda _: 12.0) == (pytest.approx(20 / 19), 3)
    never = record(row(case="fail33-all", seed=0, trajectory=[[0.0, 2.0]]))
    assert fig.failure_cost([never], exact) == (math.inf, 1)
    assert math.isnan(fig.failure_cost(runs, [])[0])


def test_bars_are_met_or_not(arena):
    bars = arena("bars")
    now, base = records(arena, "now"), records(arena, "today", false=5)
    found = {bar.what.split(" (")[0]: bar for bar in bars.bars(now, base, [])}
    assert found["true answers at >= 0.99, rough cases together"].met
    assert found["verified answers that are true"].met
    beyond = found["predictions that miss by more than 3 sd"]
    assert (beyond.figure, beyond.met) == ("40 %", False)
    assert found["exact mystery, with verification: area of log10 OC, difference"].met
    quantile = found["rough cases: relative OC of verified answers against answers before, 75 % quantile"]
    assert quantile.figure == "0.05 against 10.5" and quantile.met
    assert found["rough cases in which that median is not worse"].figure == "1 of 1"
    assert found["CPU a decision against before"].met
    worse = {bar.what.split(" (")[0]: bar for bar in bars.bars(base, now, [])}
    assert worse["true answers at >= 0.99, rough cases together"].met is False
    assert worse["the same in the worst case"].figure == "75 %"
    assert worse["rough cases in which that 75 % quantile is not worse"].figure == "0 of 1; worse: hash2-all"
    assert all(bar.met is None for bar in bars.bars([], [], []))


def test_tables_and_page(arena, trust, tmp_path):
    now, base = records(arena, "now"), records(arena, "today", false=5)
    table = arena("table")
    lines = {line.split("|")[1].strip(): line for line in table.answers_table(now, base).splitlines()}
    assert [cell.strip() for cell in lines["hash2-all"].split("|")[2:6]] == ["20/20", "15/20", "20/20/20", "25"]
    assert "none" not in lines["hash2-all"]
    page = arena("page")
    (tmp_path / "docs").mkdir()
    both = arena("figures").Versions(now, base, [])
    page.write(tmp_path, both, {"cei": both})
    text = (tmp_path / page.PAGE).read_text()
    assert "## Method cei" in text and "| **rough** " in text and "mystery, constrained_branin" in text
    for name in ("changes", "misses", "answers"):
        assert f"trust-{name}.svg" in text
        assert (tmp_path / "docs" / f"trust-{name}.svg").stat().st_size < 100_000


def test_page_of_one_version_only(arena):
    """Nothing is measured of the other: no bar is said to be met, nothing is drawn of it, and nothing fails."""
    base = records(arena, "today")
    text = arena("page").text(arena("figures").Versions([], base, []), {})
    assert "| yes " not in text and "**no**" not in text and "| hash2-all " in text
    assert math.isnan(arena("pictures").exceedance([])[0])


def test_runs_that_nobody_had_looked_at_are_judged_alone(arena):
    page, now = arena("page"), records(arena, "now")
    versions, first = arena("figures").Versions, f"## Seeds from {page.FRESH} on alone"
    text = page.text(versions(now, [], []), {})
    rest = text.split(first)[1].split("## What was run")[0]
    fresh = [run for run in now if run.seed >= page.FRESH and run.rough]
    assert f"rough cases together ({len(fresh)} answers)" in rest and "against before" not in rest
    assert first not in page.text(versions([run for run in now if run.seed < page.FRESH], [], []), {})
    assert first not in page.text(versions([run for run in now if run.seed >= page.FRESH], [], []), {})


def test_the_page_says_what_is_kept(arena, trust):
    """docs/trust.md is written by make trust-page and not by hand."""
    written = (SCRIPTS.parent / arena("page").PAGE).read_text(encoding="utf-8")
    page = arena("page")
    assert written == page.text(*trust.kept("now", "today", "dckg"), page.solvers(SCRIPTS.parent))


def test_faults_are_named(arena, trust, tmp_path, capsys):
    """A good run has none; each way of being wrong is named with its reason."""
    held = {"point": {"x1": 1.0}, "oc": 0.1, "feasible": True}
    said = {"z": 0.5, "constraints": {"c": [-0.1, 0.01, 0.995]}}
    fine = row(verifiable=True, held=held, incumbent=held, ended="", answer=said)
    faults = arena("faults")
    assert list(faults.of(fine)) == []
    false = {"feasible": False, "truth": {"f": None, "c": 0.2}, "verified": False, "z": None}
    bad = row(verifiable=True, held=held, incumbent=None, ended="why", spent=4.0, answer=said | false)
    assert list(faults.of(bad)) == [
        "FALSE at P 0.99500, f cannot be computed; c is 0.2, said -0.1 +- 0.01",
        "not verified, P 0.9950; a design was measured whole: True",
        "the incumbent is not the best design that was measured whole",
        "objective at the answer is None, said 1.8 +- 0.06",
        "stopped after 4 units: why",
    ]
    assert faults.worst([fine], 1) == ["hash2-all mystery seed 0: f missed by 7 sd, 5 values, 0 units spent"]
    (tmp_path / "rows.jsonl").write_text(json.dumps(bad) + "\n")
    trust.main(["faults", str(tmp_path / "rows.jsonl")])
    out = capsys.readouterr().out
    assert "hash2-all mystery seed 0: FALSE at" in out and "1 stopped with more than a tenth" in out


def test_results_are_kept_once_and_read_like_rows(trust, arena, tmp_path, monkeypatch, capsys):
    made = tmp_path / "rows.jsonl"
    made.write_text("\n".join(json.dumps(row(label)) for label in ("now", "today")) + "\n")
    kept = replace(trust.KEPT, path=tmp_path / "trust.jsonl")
    monkeypatch.setattr(trust, "KEPT", kept)
    for _ in range(2):
        trust.main(["keep", str(made)])
    assert [each["label"] for each in kept.rows()] == ["now", "today"]
    load = arena("record").load
    assert load([kept.path]) == load([made]) == load([made, kept.path])
    capsys.readouterr()
    trust.main(["table", str(kept.path)])
    out = capsys.readouterr().out
    assert "| hash2-all " in out and "true answers at >= 0.99" in out
