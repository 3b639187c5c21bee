"""Middleware for ASGI applications, such as Starlette and FastAPI."""

from typing import Any, Awaitable, Callable, Dict, List, MutableMapping, Tuple
from urllib.parse import quote

from ._guard import Decision, Guard, Rejection, Seen

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class TollgateMiddleware:
    """Rejects requests and WebSockets without a valid key. ``request.state.tollgate`` is the caller.

    It is None if the server was unavailable and ``on_unavailable`` is ``"allow"``. The options are those of every
    middleware; functions among them get the ASGI scope.

    >>> from fastapi import FastAPI, Request  # doctest: +SKIP
    >>> app = FastAPI()  # doctest: +SKIP
    >>> app.add_middleware(TollgateMiddleware, url="https://tollgate.example.com", token="tgt_…",
    ...                    bucket="main")  # doctest: +SKIP
    >>> @app.get("/forecast")  # doctest: +SKIP
    ... def forecast(request: Request):
    ...     return {"for": request.state.tollgate["consumer"]["name"]}
    """

    def __init__(self, app: Application, **options: Any) -> None:
        self._app = app
        self._guard: Guard[Scope] = Guard(**options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._lifespan(scope, receive, send)
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        decision = await self._guard.decide_async(scope, _seen(scope))
        if decision.rejection is not None:
            return await _reject(scope, receive, send, decision.rejection)
        scope.setdefault("state", {})["tollgate"] = decision.access
        await self._app(scope, receive, _with_headers(send, decision))

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            await self._guard.async_client.aclose()


def _seen(scope: Scope) -> Seen:
    headers: Dict[str, str] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    client, raw = scope.get("client"), scope.get("raw_path")
    path = raw.split(b"?", 1)[0].decode("latin-1") if raw else quote(scope["path"])
    return Seen(headers.get, path, client[0] if client else None)


def _raw(headers: Dict[str, str]) -> List[Tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _with_headers(send: Send, decision: Decision) -> Send:
    if not decision.headers:
        return send

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *_raw(decision.headers)]}
        await send(message)

    return send_with_headers


async def _reject(scope: Scope, receive: Receive, send: Send, rejection: Rejection) -> None:
    prefix = "http"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await receive()
            # The server rejects the handshake with 403.
            await send({"type": "websocket.close", "code": 1008})
            return
        prefix = "websocket.http"
    headers = _raw({**rejection.headers, "content-length": str(len(rejection.body))})
    await send({"type": f"{prefix}.response.start", "status": rejection.status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": rejection.body})
