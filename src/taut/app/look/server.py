"""The live page on the network: read-only, for this machine unless told otherwise, and for nobody else's scripts.

| path | gives |
| --- | --- |
| / | the page |
| /page.css, /page.js | its style and script |
| /events | server-sent events: after every change the digests of all parts |
| /section/ID | one part |
| /what-if?at_most=NAME=VALUE | what would be best with another limit |

Only requests for a name of this server are answered: a foreign page whose name was pointed here gets nothing.
"""

import asyncio
import ipaddress
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

from taut.app.look.watch import Watch
from taut.base.errors import StudyError, TautError, UnknownNameError
from taut.base.markup import tag
from taut.base.numbers import finite, from_text
from taut.plot.page.frame import asset
from taut.plot.page.page import CSS, JS, digest
from taut.plot.page.page import style as style_of_page

TICK = 0.05
"""Seconds between looks for a change, for each viewer."""
BEAT = 10.0
"""Seconds after which something is sent in any case, so that a viewer who left is noticed."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANYWHERE = ("0.0.0.0", "::")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def starlette() -> Any:
    """The modules of the extra; raises StudyError if they are not installed."""
    try:
        import starlette.applications
        import starlette.responses
        import starlette.routing
        import uvicorn
    except ModuleNotFoundError as error:
        got, way_out = f"no {error.name}", "run pip install 'taut[dashboard]'"
        raise StudyError.of("taut dashboard", "starlette and uvicorn", got, way_out) from error
    return starlette, uvicorn


def names(host: str) -> tuple[str, ...]:
    """The names under which a server that listens at a host may be asked for."""
    found = {*LOOPBACK, host.lower()}
    if host not in LOOPBACK:
        found |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return tuple(sorted(found))


class Guard:
    """Answers only its own names and its own page, and adds the headers that keep others out."""

    def __init__(self, app: Any, known: Iterable[str], anywhere: bool = False) -> None:
        self._app, self._known, self._anywhere = app, frozenset(known), anywhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {key.lower(): value.decode("latin-1") for key, value in scope["headers"]}
        site = headers.get(b"sec-fetch-site", "none")
        if not self._ours(headers.get(b"host", "")):
            await self._refuse(send, 421, "This is not a name of this server.")
        elif site not in ("none", "same-origin") and scope["path"] != "/":
            await self._refuse(send, 403, "Only the page itself may ask this.")
        else:
            await self._app(scope, receive, self._with_headers(send))

    def _ours(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        name = name.strip("[]").lower()
        return name in self._known or (self._anywhere and _is_address(name))

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *more]
            await send(message)

        return sending

    async def _refuse(self, send: Send, status: int, why: str) -> None:
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        headers += [(key.encode(), value.encode()) for key, value in HEADERS.items()]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": why.encode()})


def _is_address(name: str) -> bool:
    """An address as it is cannot have been pointed here by a foreign name server."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def application(watch: Watch, host: str = "127.0.0.1") -> Any:
    """The server as an ASGI application."""
    modules, _ = starlette()
    responses, Route = modules.responses, modules.routing.Route
    html = responses.HTMLResponse

    async def page(request: Any) -> Any:
        return html(await asyncio.to_thread(watch.page))

    async def style(request: Any) -> Any:
        return responses.Response(style_of_page(), media_type="text/css")

    async def script(request: Any) -> Any:
        return responses.Response(asset(JS), media_type="text/javascript")

    async def section(request: Any) -> Any:
        body = watch.state.parts.get(request.path_params["key"])
        if body is None:
            return html("", status_code=404)
        return html(body, headers={"x-digest": digest(body)})

    async def what_if(request: Any) -> Any:
        try:
            found = await asyncio.to_thread(lambda: watch.what_if(limits(request.query_params.multi_items())))
        except TautError as error:
            return html(tag("p", str(error)), status_code=400)
        return html(found)

    async def stream(request: Any) -> Any:
        return responses.StreamingResponse(events(watch), media_type="text/event-stream")

    routes = [Route("/", page), Route(f"/{CSS}", style), Route(f"/{JS}", script), Route("/section/{key}", section)]
    routes += [Route("/events", stream), Route("/what-if", what_if)]
    return Guard(modules.applications.Starlette(routes=routes), names(host), host in ANYWHERE)


async def events(watch: Watch) -> AsyncIterator[str]:
    """One event at once, then one after every change."""
    watch.viewers += 1
    last, quiet = (-1, ""), 0.0
    try:
        while True:
            state, trouble = watch.state, watch.trouble
            if (state.version, trouble) != last:
                last, quiet = (state.version, trouble), 0.0
                news = {"digests": state.digests, "said": state.said, "trouble": trouble}
                yield f"event: state\ndata: {json.dumps(news)}\n\n"
            elif quiet >= BEAT:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(TICK)
            quiet += TICK
    finally:
        watch.viewers -= 1


def limits(asked: Iterable[tuple[str, str]]) -> dict[str, dict[str, float | None]]:
    """Limits from the words of a query, at_most=NAME=VALUE."""
    found: dict[str, dict[str, float | None]] = {}
    for side, text in asked:
        name, _, value = text.rpartition("=")
        number = from_text(value)
        if side not in ("at_most", "at_least") or number is None or finite(number) is None:
            raise UnknownNameError.of(
                "what-if", "at_most=NAME=VALUE or at_least=NAME=VALUE", repr(text[:80]), "write one"
            )
        found.setdefault(name, {})[side] = number
    return found


def serve(watch: Watch, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. say: tells the user where."""
    _, uvicorn = starlette()
    listening = _listen(host, port)
    where = listening.getsockname()
    shown = f"[{where[0]}]" if ":" in where[0] else where[0]
    app = application(watch, host)
    watch.start()
    say(f"{watch.file.study.name}: http://{shown}:{where[1]} (Ctrl-C ends it; the study is only read)")
    try:
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, server_header=False, timeout_graceful_shutdown=1
        )
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        watch.stop()
        listening.close()


def _listen(host: str, port: int) -> socket.socket:
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(kind, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        got, way_out = f"an error ({error.strerror or error})", "give another one with --port, or --host"
        raise StudyError.of(f"Address {host}:{port}", "one that can be listened at", got, way_out) from error
    return made
