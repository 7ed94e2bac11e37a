"""The keys of a study file: whatever is wrong gives exit code 2 and one sentence that names it, and changes nothing."""

from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, assert_refused, call, swap

PARAMETER = '[parameters.width]\ntype = "real"\nlow = 1.0\nhigh = 9.0\n'
OBJECTIVE = '[objective]\nname = "mass"\ngoal = "minimize"\ncost = 1\ncommand = ["python", "mass.py"]\n'
STRESS = 'name = "stress"\nat_most = 250.0\n'
GROUP = 'functions = ["drag", "lift"]\n'
HEIGHT = "\n[parameters.height]\nlow = 0.1\nhigh = 10.0\nlog = true\n"

# What is wrong: (the file, words that the message must hold).
MALFORMED: dict[str, tuple[str, tuple[str, ...]]] = {
    # Tables.
    "no study": (GOOD.partition("\n[run]")[2], ("[study]",)),
    "no parameters": (swap(PARAMETER, "").replace(HEIGHT, ""), ("[parameters.NAME]",)),
    "empty parameters": (swap(PARAMETER, "[parameters]\n").replace(HEIGHT, ""), ("at least one parameter",)),
    "no objective": (swap(OBJECTIVE, ""), ("[objective]",)),
    "unknown table": (swap("[objective]", "[objectives]"), ("'objectives'", "the closest is 'objective'")),
    "key outside": ("budget = 3\n" + GOOD, ("'budget'", "[study]")),
    "unknown key outside": ("colour = 3\n" + GOOD, ("'colour'", "table")),
    "list of objectives": (swap("[objective]", "[[objective]]"), ("write [objective] once",)),
    "single constraint": (
        GOOD.replace("[[constraints]]", "[constraints]", 1).replace("[[constraints]]", "[other]"),
        ("'other'",),
    ),
    "constraint without double brackets": (
        GOOD.partition("[[constraints]]")[0] + "[constraints]\n" + STRESS,
        ("[[constraints]]", "double brackets"),
    ),
    "study is a number": ("study = 3\n[run]" + GOOD.partition("\n[run]")[2], ("[study]", "got 3")),
    "parameters as a list": (swap("[parameters.width]", "[[parameters]]").replace(HEIGHT, ""), ("[parameters.NAME]",)),
    "parameter is a number": (swap(PARAMETER, "[parameters]\nwidth = 3\n"), ("[parameters.width]", "got 3")),
    "constraints of numbers": (
        "constraints = [1, 2]\n" + GOOD.partition("[[constraints]]")[0],
        ("[[constraints]] number 1", "got 1"),
    ),
    # [study]
    "no name": (swap('name = "bracket"\n', ""), ("[study]", "'name'")),
    "name is a number": (swap('"bracket"', "7"), ("[study] name", "got 7")),
    "name with a slash": (swap('"bracket"', '"../bracket"'), ("[study] name", "'../bracket'")),
    "name with a newline": (swap('"bracket"', '"a\\nb"'), ("[study] name",)),
    "misspelt key": (swap("budget", "bugdet"), ("[study]", "'bugdet'", "the closest is 'budget'")),
    "budget is a text": (swap("budget = 40", 'budget = "lots"'), ("[study] budget", "'lots'", "budget = 120")),
    "budget of 0": (swap("budget = 40", "budget = 0"), ("[study] budget", "above 0")),
    "negative budget": (swap("budget = 40", "budget = -4"), ("[study] budget", "-4")),
    "budget nan": (swap("budget = 40", "budget = nan"), ("[study] budget", "nan")),
    "budget inf": (swap("budget = 40", "budget = inf"), ("[study] budget", "inf")),
    "budget is true": (swap("budget = 40", "budget = true"), ("[study] budget", "True")),
    "negative seed": (swap("seed = 1", "seed = -1"), ("[study] seed", "-1")),
    "seed is a fraction": (swap("seed = 1", "seed = 1.5"), ("[study] seed", "1.5")),
    "seed too large": (swap("seed = 1", f"seed = {2**63}"), ("[study] seed",)),
    "initial too large": (swap("initial = 2", "initial = 10000000000"), ("[study] initial", "10000")),
    "initial negative": (swap("initial = 2", "initial = -2"), ("[study] initial",)),
    "unknown design": (swap('"independent"', '"random"'), ("[study] initial_design", "'random'")),
    "unknown method": (swap('"random"', '"dkcg"'), ("[study] method", "the closest is 'dckg'")),
    "method is a list": (swap('"random"', '["dckg"]'), ("[study] method",)),
    "unknown preset": (swap("seed = 1", 'preset = "best"'), ("[study] preset", "'best'")),
    "unknown option": (swap("seed = 1", "options = {colour = 1}"), ("[study.options]", "'colour'")),
    "bad option": (swap("seed = 1", "options = {starts = -1}"), ("[study.options]", "starts")),
    "options is a number": (swap("seed = 1", "options = 1"), ("[study] options",)),
    # [study] storage
    "storage elsewhere": (swap('"bracket.db"', '"../bracket.db"'), ("[study] storage", "leaves")),
    "storage absolute": (swap('"bracket.db"', '"/tmp/other/bracket.db"'), ("[study] storage", "leaves")),
    "storage is the folder": (swap('"bracket.db"', '"."'), ("[study] storage",)),
    "storage is a folder": (swap('"bracket.db"', '"folder"'), ("[study] storage", "a folder")),
    "storage in no folder": (swap('"bracket.db"', '"no/bracket.db"'), ("[study] storage", "does not exist")),
    "storage is the file": (swap('"bracket.db"', '"bad.toml"'), ("[study] storage", "the study file itself")),
    "storage empty": (swap('"bracket.db"', '""'), ("[study] storage",)),
    "storage too long": (swap('"bracket.db"', f'"{"x" * 300}"'), ("[study] storage",)),
    "storage by a link": (swap('"bracket.db"', '"link/x.db"'), ("[study] storage", "leaves")),
    "storage on MySQL": (swap('"bracket.db"', '"mysql://me:secret@host/db"'), ("[study] storage", "'mysql://'")),
    "storage with sqlite://": (swap('"bracket.db"', '"sqlite:///bracket.db"'), ("[study] storage", "its name only")),
    # [run]
    "unknown key of run": (swap("workers = 1", "worker = 1"), ("[run]", "the closest is 'workers'")),
    "no workers": (swap("workers = 1", "workers = 0"), ("[run] workers",)),
    "workers in words": (swap("workers = 1", 'workers = "all"'), ("[run] workers", "'all'")),
    "unknown keep": (swap("workers = 1", 'keep = "some"'), ("[run] keep", "'some'")),
    "no failures": (swap("workers = 1", "failures = 0"), ("[run] failures",)),
    "lease of 0": (swap("workers = 1", "lease = 0"), ("[run] lease",)),
    "lease of a hundred a second": (swap("workers = 1", "lease = 0.01"), ("[run] lease", "from 1")),
    "lease of a week": (swap("workers = 1", "lease = 604800"), ("[run] lease", "to 86400")),
    # [parameters.NAME]
    "half an integer": (
        swap(PARAMETER, '[parameters.width]\ntype = "integer"\nlow = 1.5\nhigh = 9\n'),
        ("[parameters.width] low", "whole number", "1.5"),
    ),
    "one option": (
        swap(PARAMETER, '[parameters.width]\ntype = "choice"\noptions = ["a"]\n'),
        ("[parameters.width]", "options", "different"),
    ),
    "bounds of a choice": (
        swap(PARAMETER, '[parameters.width]\ntype = "choice"\noptions = ["a", "b"]\nlow = 1\n'),
        ("[parameters.width]", "'low'"),
    ),
    "no catalogue": (swap('type = "real"', 'type = "ordinal"'), ("[parameters.width]", "'low'")),
    "a word in a catalogue": (
        swap(PARAMETER, '[parameters.width]\ntype = "ordinal"\nvalues = [1.0, "two"]\n'),
        ("[parameters.width]", "values", "'two'"),
    ),
    "logarithms of a catalogue with 0": (
        swap(PARAMETER, '[parameters.width]\ntype = "ordinal"\nvalues = [0, 1]\nlog = true\n'),
        ("[parameters.width]", "log=True needs values above 0"),
    ),
    "unknown type": (swap('type = "real"', 'type = "float"'), ("[parameters.width] type", "'float'")),
    "no low": (swap("low = 1.0\n", ""), ("[parameters.width]", "'low'")),
    "no high": (swap("high = 9.0\n", ""), ("[parameters.width]", "'high'")),
    "low above high": (swap("low = 1.0", "low = 10.0"), ("[parameters.width]", "high must exceed low")),
    "low equals high": (swap("low = 1.0", "low = 9"), ("[parameters.width]", "high must exceed low")),
    "low is a text": (swap("low = 1.0", 'low = "1.0"'), ("[parameters.width] low", "'1.0'")),
    "low is nan": (swap("low = 1.0", "low = nan"), ("[parameters.width]", "low", "nan")),
    "high is inf": (swap("high = 9.0", "high = inf"), ("[parameters.width]", "high", "inf")),
    "high is too large": (swap("high = 9.0", "high = 1e200"), ("[parameters.width]", "1e+200")),
    "high is huge": (swap("high = 9.0", "high = 1" + "0" * 400), ("[parameters.width]", "high")),
    "high is a date": (swap("high = 9.0", "high = 2024-01-01"), ("[parameters.width] high", "date")),
    "log of 0": (swap("low = 0.1", "low = 0"), ("[parameters.height]", "low > 0")),
    "log in words": (swap("log = true", 'log = "yes"'), ("[parameters.height] log", "'yes'")),
    "misspelt bound": (swap("low = 1.0", "lower = 1.0"), ("[parameters.width]", "'lower'", "the closest is 'low'")),
    "parameter with a space": (swap("[parameters.width]", '[parameters."the width"]'), ("'the width'",)),
    "parameter without a name": (swap("[parameters.width]", '[parameters.""]'), ("[parameters.'']",)),
    "parameter like a function": (swap("[parameters.width]", "[parameters.stress]"), ("[parameters.stress]", "rename")),
    "reserved name": (swap("[parameters.width]", "[parameters.taut_cost]"), ("'taut_cost'", "rename")),
    # [objective] and [[constraints]]
    "objective without a name": (swap('name = "mass"\n', ""), ("[objective]", "'name'")),
    "objective without a goal": (swap('goal = "minimize"\n', ""), ("[objective]", "'goal'")),
    "unknown goal": (swap('"minimize"', '"minimise"'), ("[objective] goal", "'minimise'")),
    "objective with a bound": (swap('name = "mass"', 'name = "mass"\nat_most = 3'), ("[objective]", "'at_most'")),
    "constraint with a goal": (swap(STRESS, STRESS + 'goal = "minimize"\n'), ("[[constraints]] 'stress'", "'goal'")),
    "bad name": (swap('name = "mass"', 'name = "2 mass"'), ("[objective]", "'2 mass'")),
    "name of a function twice": (swap('name = "drag"', 'name = "stress"'), ("[[constraints]]", "'stress'")),
    "objective and constraint": (swap('name = "stress"', 'name = "mass"'), ("'mass'",)),
    "constraint without a name": (swap('name = "stress"\n', ""), ("[[constraints]] number 1", "'name'")),
    "no bound": (swap("at_most = 250.0\n", ""), ("[[constraints]] 'stress'", "at_most")),
    "bound is a text": (swap("at_most = 250.0", 'at_most = "250"'), ("[[constraints]] 'stress' at_most", "'250'")),
    "bound nan": (swap("at_most = 250.0", "at_most = nan"), ("[[constraints]] 'stress'", "nan")),
    "bounds crossed": (swap("at_least = 1.0", "at_least = 4.0"), ("[[constraints]] 'drag'", "below at_most")),
    "negative cost": (swap("cost = 20", "cost = -20"), ("[[constraints]] 'stress'", "cost", "-20")),
    "cost of 0": (swap("cost = 1\n", "cost = 0\n"), ("[objective]", "cost")),
    "cost inf": (swap("cost = 20", "cost = inf"), ("[[constraints]] 'stress'", "cost", "inf")),
    "cost in words": (swap("cost = 20", 'cost = "high"'), ("[[constraints]] 'stress' cost", "'high'")),
    "bad noise": (swap("cost = 20", 'cost = 20\nnoise = "some"'), ("[[constraints]] 'stress' noise", "'some'")),
    "negative noise": (swap("cost = 20", "cost = 20\nnoise = -1.0"), ("[[constraints]] 'stress'", "noise")),
    "too many": (GOOD + "[[constraints]]\nname = 'c'\nat_most = 1\n" * 1000, ("at most 1000 constraints", "1003")),
    # Programs.
    "command is a text": (swap('["python", "mass.py"]', '"python mass.py"'), ("[objective] command", "a list")),
    "empty command": (swap('["python", "mass.py"]', "[]"), ("[objective] command",)),
    "command without a program": (swap('["python", "mass.py"]', '["", "mass.py"]'), ("[objective] command",)),
    "command with a number": (swap('["python", "mass.py"]', '["python", 3]'), ("[objective] command",)),
    "command with a zero byte": (swap('"mass.py"', '"mass\\u0000.py"'), ("[objective] command",)),
    "timeout of 0": (swap("timeout = 3600", "timeout = 0"), ("[[constraints]] 'stress' timeout",)),
    "timeout in words": (swap("timeout = 3600", 'timeout = "1h"'), ("[[constraints]] 'stress' timeout", "'1h'")),
    "negative retries": (swap("retries = 1", "retries = -1"), ("[[constraints]] 'stress' retries", "-1")),
    "half a retry": (swap("retries = 1", "retries = 0.5"), ("[[constraints]] 'stress' retries", "0.5")),
    "no slots": (swap("retries = 1", "slots = 0"), ("[[constraints]] 'stress' slots",)),
    "timeout without a command": (swap("at_least = 1.0", "at_least = 1.0\ntimeout = 5"), ("'drag' timeout", "cfd")),
    "retries without a command": (
        swap('command = ["python", "mass.py"]', "retries = 3"),
        ("[objective] retries", "command"),
    ),
    "command of a member": (
        swap("at_least = 1.0", 'at_least = 1.0\ncommand = ["drag"]'),
        ("[[constraints]] 'drag' command", "'cfd'"),
    ),
    # [[groups]]
    "group without a name": (swap('name = "cfd"\n', ""), ("[[groups]] number 1", "'name'")),
    "group without a cost": (swap("cost = 5\n", ""), ("[[groups]] 'cfd'", "'cost'")),
    "group without functions": (swap(GROUP, ""), ("[[groups]] 'cfd'", "'functions'")),
    "group of nothing": (swap(GROUP, "functions = []\n"), ("[[groups]] 'cfd' functions",)),
    "group of a stranger": (swap('["drag", "lift"]', '["drag", "lfit"]'), ("[[groups]]", "'lfit'")),
    "group of one twice": (swap('["drag", "lift"]', '["drag", "drag"]'), ("[[groups]] 'cfd'",)),
    "group is a text": (swap('["drag", "lift"]', '"drag"'), ("[[groups]] 'cfd' functions", "'drag'")),
    "group like a function": (swap('name = "cfd"', 'name = "mass"'), ("[[groups]]", "'mass'")),
    "two groups share": (GOOD + "[[groups]]\nname = 'g'\nfunctions = ['lift']\ncost = 1\n", ("[[groups]]", "'lift'")),
    "group twice": (GOOD + "[[groups]]\nname = 'cfd'\nfunctions = ['mass']\ncost = 1\n", ("[[groups]]", "'cfd'")),
}


def test_no_password_in_a_message(begun_folder: Path) -> None:
    bad = begun_folder / "bad.toml"
    for url in ("mysql://me:secret@host/db", "postgresql+psycopg://me:secret@127.0.0.1:1/db?connect_timeout=1"):
        bad.write_text(GOOD.replace("bracket.db", url))
        result = call("status", str(bad))
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: ")
        assert "secret" not in result.stderr


@pytest.mark.parametrize("what", MALFORMED)
def test_is_one_sentence_and_changes_nothing(what: str, begun_folder: Path) -> None:
    text, words = MALFORMED[what]
    assert_refused(begun_folder, text.encode(), *words)


@pytest.mark.parametrize("old", ['command = ["python", "mass.py"]', 'command = ["python", "cfd.py"]', "budget = 40"])
def test_what_a_run_needs(folder: Path, old: str) -> None:
    path = folder / "incomplete" / "study.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(GOOD.replace(old, ""))
    assert_mistake(call("run", str(path)), "study.toml'", old.split()[0])
    assert [each.name for each in path.parent.iterdir()] == ["study.toml"]


WRONG_PLACES = {
    "name": ('name = "bracket"', "name = {}"),
    "method": ('method = "random"', "method = {}"),
    "seed": ("seed = 1", "seed = {}"),
    "unknown key": ("seed = 1", "seed = 1\nstorag = {}\n{} = 1"),
    "unknown table": ("[run]", "[{}]\n[run]"),
    "parameter": ("[parameters.width]", "[parameters.{}]"),
    "objective": ('name = "mass"', "name = {}"),
    "command": ('command = ["python", "mass.py"]', "command = [1, {}]"),
    "timeout": ("timeout = 3600", "timeout = [{}]"),
    "group": ('functions = ["drag", "lift"]', "functions = [{}, {}]"),
    "options": ("seed = 1", "seed = 1\noptions = {{raw = {}}}"),
    "storage": ('storage = "bracket.db"', "storage = {}"),
}


@pytest.mark.parametrize("url", ["postgresql:/me:SECRET@host/db", "mysql://me:SEC@RET@host/db?a=SECRET"])
@pytest.mark.parametrize("place", WRONG_PLACES)
def test_a_password_in_a_wrong_place_is_not_repeated(place: str, url: str, tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    old, new = WRONG_PLACES[place]
    path.write_text(swap(old, new.replace("{}", f'"{url}"').replace("{{", "{").replace("}}", "}")))
    result = call("status", str(path))
    assert result.exit_code == 2 and "RET" not in result.stderr, result.stderr
