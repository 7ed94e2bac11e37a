"""Whatever a study file or a call of tell holds: it is taken, or refused in one sentence; never anything in between."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from studies import GOOD, assert_mistake, call, contents, done

import taut
from taut.app.studyfile import file as studyfile
from taut.app.studyfile.keys import TABLES

numbers = st.one_of(st.integers(-(10**20), 10**20), st.floats(), st.sampled_from([0, 1, -1, 1e200, 5e-324]))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
kinds = ["real", "integer", "dckg", "minimize", "learned", "mass", "bracket.db", "../x"]
words = st.one_of(texts, st.sampled_from(kinds))
values = st.recursive(
    st.one_of(numbers, words, st.booleans(), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=5,
)
known_keys = sorted({name for table in TABLES.values() for name in table} | set(TABLES))


def toml(value: Any) -> str:
    """A value in TOML; tables are written inline."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)} = {toml(entry)}" for name, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return quoted(value) if isinstance(value, str) else str(value)


def quoted(text: str) -> str:
    return '"' + "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in text) + '"'


@st.composite
def files(draw: st.DrawFn) -> str:
    """The good file with some of its entries changed, removed or added, anywhere in it."""
    content = tomllib.loads(GOOD)
    for _ in range(draw(st.integers(1, 3))):
        place: Any = content
        while True:
            entries = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not entries:
                break
            key = draw(st.sampled_from(entries))
            if isinstance(place[key], (dict, list)) and draw(st.booleans()):
                place = place[key]
                continue
            break
        action = draw(st.sampled_from(["nudge", "change", "remove", "add"]))
        if action == "nudge" and entries and type(place[key]) in (int, float, list):
            place[key] = 2 * place[key]
        elif isinstance(place, list):
            place.append(draw(values))
        elif action == "add" or not entries:
            place[draw(st.one_of(st.sampled_from(known_keys), words))] = draw(values)
        elif action == "remove":
            del place[key]
        else:
            place[key] = draw(values)
    return "\n".join(f"{quoted(name)} = {toml(entry)}" for name, entry in content.items())


def load_or_refuse(path: Path) -> None:
    try:
        file = studyfile.load(path)
    except taut.StudyFileError as error:
        message = str(error)
        assert path.name in message
        assert message.endswith(".")
        assert len(message) < 2500
    else:
        assert file.problem.functions
        assert Path(file.study.storage).is_relative_to(path.parent.resolve()) or "://" in file.study.storage


@pytest.fixture(scope="module")
def place(folder: Path) -> Iterator[Path]:
    place = folder / "properties"
    place.mkdir()
    yield place


def test_the_writer_of_this_test_is_right() -> None:
    content = tomllib.loads(GOOD)
    assert tomllib.loads("\n".join(f"{quoted(name)} = {toml(entry)}" for name, entry in content.items())) == content


@settings(max_examples=300)
@given(text=files())
def test_changed_study_files(text: str, place: Path) -> None:
    path = place / "changed.toml"
    path.write_text(text)
    load_or_refuse(path)
    assert [each.name for each in place.iterdir() if each.suffix != ".toml"] == []  # loading writes nothing


@settings(max_examples=100)
@given(content=st.one_of(st.binary(max_size=200), texts.map(str.encode)))
@example(content=b"\xef\xbb\xbf")
@example(content=b"a = 1e999999999")
@example(content=b"a = 0000-00-00")
@example(content=b"[[study]]\n[study.x]")
def test_any_bytes(content: bytes, place: Path) -> None:
    path = place / "bytes.toml"
    path.write_bytes(content)
    load_or_refuse(path)


cells = st.one_of(st.sampled_from(["2", "1.5", "", "fail", "nan", "-1", "mass", "width", '"']), texts)
lines = st.lists(st.lists(cells, min_size=2, max_size=5).map(",".join), max_size=3).map("\n".join)
headers = st.one_of(st.just("width,height,mass"), st.just("width,height,mass,taut_failed"), lines)


@settings(max_examples=100)
@given(header=headers, body=lines)
@example(header="width,height,mass", body="2,1,3\n2,1,4")
def test_tables(header: str, body: str, study: str) -> None:
    """A table is added as a whole, once, or refused without a trace."""
    data, database = Path(study).with_name("data.csv"), Path(study).with_name("bracket.db")
    data.write_text(f"{header}\n{body}")
    before = contents(database)
    result = call("add", study, str(data))
    if result.exit_code == 0:
        assert_mistake(call("add", study, str(data)), "already")
    else:
        assert_mistake(result)
        assert contents(database) == before


names = st.one_of(st.sampled_from(["mass", "stress", "drag", "lift", "cfd", "width"]), texts)
told = st.one_of(st.floats().map(repr), st.floats(-1e3, 1e3).map(repr), st.integers().map(str), st.just("fail"), texts)
pairs = st.one_of(st.tuples(names, told).map("=".join), texts)
wild = st.tuples(st.one_of(st.integers(0, 7).map(str), texts), st.lists(pairs, max_size=3))
asked = [["mass"], ["stress"], ["drag", "lift"]] * 2
likely = st.sampled_from(["1.5", "-2e0", "fail"])
plausible = st.integers(1, 6).flatmap(
    lambda k: st.tuples(
        st.just(str(k)),
        st.lists(st.sampled_from(asked[k - 1]), min_size=1, max_size=2).flatmap(
            lambda names: st.tuples(*(likely.map(f"{name}=".__add__) for name in names))
        ),
    )
)


@pytest.fixture(scope="module")
def study(place: Path) -> Iterator[str]:
    path = place.with_name("properties-of-tells")
    path.mkdir()
    (path / "study.toml").write_text(GOOD)
    for _ in range(6):
        done("ask", str(path / "study.toml"))
    yield str(path / "study.toml")


def known(study: str) -> dict[tuple[int | None, str], float | None]:
    rows = taut.Study.open(str(Path(study).with_name("bracket.db"))).observations
    return {(row.suggestion, row.function): row.value for row in rows}


@settings(max_examples=80)
@given(tell=st.one_of(wild, plausible))
@example(tell=("1", ["mass=-0.0"]))
@example(tell=("1", ["mass=0"]))
@example(tell=("3", ["lift=1e-400", "drag=fail"]))
def test_tells(tell: tuple[str, list[str]], study: str) -> None:
    number, args = tell
    database = Path(study).with_name("bracket.db")
    rows, before = known(study), contents(database)
    result = call("tell", study, "--json", "--", number, *args)
    if result.exit_code == 0:
        taken = json.loads(result.stdout)["values"]
        assert set(taken) == {each.partition("=")[0] for each in args}
        assert known(study) == rows | {(int(number), name): value for name, value in taken.items()}
    else:
        assert_mistake(result)
        assert contents(database) == before
