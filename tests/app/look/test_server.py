"""The live page on the network: what it answers, to whom, and what it refuses."""

import asyncio
import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from shown import FILE, FUNCTIONS, Page, sound

import taut
from taut.app.look import server
from taut.app.look.server import application, events, limits, names
from taut.app.look.watch import Watch
from taut.app.studyfile.file import load, open_study

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Watch:
    path = tmp_path_factory.mktemp("study") / "study.toml"
    path.write_text(FILE.format(method="random", seed=0))
    study = open_study(load(path))
    for _ in range(3):
        asked = study.ask()
        study.tell(asked, {name: FUNCTIONS[name](asked.point) for name in asked.functions})
    made = Watch(load(path))
    made.look()
    return made


def get(app: Any, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of one request, straight to the application."""
    where, _, query = path.partition("?")
    given = {"host": "127.0.0.1:8765"} | {key.replace("_", "-"): value for key, value in headers.items()}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": where,
        "raw_path": where.encode(),
        "query_string": query.encode(),
        "headers": [(key.encode(), value.encode()) for key, value in given.items()],
        "scheme": "http",
        "root_path": "",
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    found = {key.decode(): value.decode() for key, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent[1:]).decode()


def test_the_page_and_its_files(watch: Watch) -> None:
    app = application(watch)
    status, headers, body = get(app, "/")
    assert status == 200 and headers["content-type"].startswith("text/html")
    sound(body)
    size = len(body)
    for name, kind in (("/page.css", "text/css"), ("/page.js", "text/javascript")):
        status, headers, body = get(app, name)
        assert status == 200 and headers["content-type"].startswith(kind)
        size += len(body)
    assert size < 300_000


def test_parts(watch: Watch) -> None:
    status, headers, body = get(application(watch), "/section/now")
    assert (status, body) == (200, watch.state.parts["now"])
    assert headers["x-digest"] == watch.state.digests["now"]
    assert get(application(watch), "/section/nothing")[0] == 404
    assert get(application(watch), "/section/..%2f..%2fetc")[0] == 404
    assert get(application(watch), "/anything")[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_it_is_only_for_reading(watch: Watch, method: str) -> None:
    for path in ("/", "/events", "/what-if", "/section/now"):
        assert get(application(watch), path, method)[0] == 405


@pytest.mark.parametrize("path", ["/", "/events", "/section/now", "/nothing"])
def test_foreign_names_get_nothing(watch: Watch, path: str) -> None:
    for host in ("evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "localhost.evil"):
        status, headers, body = get(application(watch), path, host=host)
        assert status == 421 and "bracket" not in body
        assert headers["content-security-policy"].startswith("default-src 'none'")


def test_own_names_are_answered(watch: Watch) -> None:
    for host in ("127.0.0.1", "localhost:8765", "LOCALHOST", "[::1]:8765"):
        assert get(application(watch), "/", host=host)[0] == 200
    assert get(application(watch), "/", host="10.1.2.3:80")[0] == 421
    assert get(application(watch, "0.0.0.0"), "/", host="10.1.2.3:80")[0] == 200, "an address cannot be pointed here"
    assert get(application(watch, "0.0.0.0"), "/", host="evil.example")[0] == 421
    assert socket.gethostname().lower() in names("0.0.0.0") and socket.gethostname().lower() not in names("127.0.0.1")


def test_other_pages_may_not_ask(watch: Watch) -> None:
    assert get(application(watch), "/section/now", sec_fetch_site="cross-site")[0] == 403
    assert get(application(watch), "/what-if", sec_fetch_site="same-site")[0] == 403
    assert get(application(watch), "/section/now", sec_fetch_site="same-origin")[0] == 200
    assert get(application(watch), "/", sec_fetch_site="cross-site")[0] == 200, "a link to it"


def test_the_policy_is_strict(watch: Watch) -> None:
    headers = get(application(watch), "/")[1]
    assert "unsafe" not in headers["content-security-policy"] and "*" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    assert "server" not in headers and "access-control-allow-origin" not in headers


def test_what_if(watch: Watch) -> None:
    status, _, body = get(application(watch), "/what-if?at_most=stress%3D300.5")
    assert status == 200 and "mass =" in sound(body).text
    for query in (
        "at_most=stress",
        "at_most=stress%3Dnan",
        "at_most=stress%3D1e999",
        "side=stress%3D1",
        "at_most=%3Cb%3E%3D1",
    ):
        status, _, body = get(application(watch), f"/what-if?{query}")
        assert status == 400 and "<b>" not in body and Page(body).text
    assert limits([("at_most", "a=b=1.5"), ("at_least", "c=-1")]) == {"a=b": {"at_most": 1.5}, "c": {"at_least": -1.0}}


def test_events_begin_with_what_is_and_follow_changes(watch: Watch) -> None:
    async def follow() -> list[dict[str, Any]]:
        stream = events(watch)
        first = await anext(stream)
        assert watch.viewers == 1
        watch._publish(lambda old: old)
        second = await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
        return [json.loads(each.partition("data: ")[2]) for each in (first, second)]

    first, second = asyncio.run(follow())
    assert first["digests"] == second["digests"] == watch.state.digests
    assert first["trouble"] == "" and "values" in first["said"]
    assert watch.viewers == 0


def test_an_address_that_is_taken(watch: Watch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(taut.StudyError, match="--port"):
        server.serve(watch, "127.0.0.1", taken.getsockname()[1], print)


def test_without_the_extra_it_is_named(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(taut.StudyError, match=r"taut\[dashboard\]"):
        server.serve(watch, "127.0.0.1", 0, print)


def test_assets_are_small() -> None:
    folder = Path(server.__file__).parents[2] / "plot" / "page"
    assert sum((folder / name).stat().st_size for name in ("page.css", "page.js")) < 300_000
