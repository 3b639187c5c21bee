"""Middleware for WSGI applications, such as Flask."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple
from urllib.parse import quote

from ._guard import Guard, Seen

Environ = Dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class TollgateMiddleware:
    """Rejects requests without a valid key. ``environ["tollgate"]`` is the caller, in Flask ``request.environ``.

    It is None if the server was unavailable and ``on_unavailable`` is ``"allow"``. The options are those of every
    middleware; functions among them get the environ.

    >>> from flask import Flask, request  # doctest: +SKIP
    >>> app = Flask(__name__)  # doctest: +SKIP
    >>> app.wsgi_app = TollgateMiddleware(app.wsgi_app, url="https://tollgate.example.com", token="tgt_…",
    ...                                   bucket="main")  # doctest: +SKIP
    >>> @app.get("/forecast")  # doctest: +SKIP
    ... def forecast():
    ...     return {"for": request.environ["tollgate"]["consumer"]["name"]}
    """

    def __init__(self, app: Application, **options: Any) -> None:
        self._app = app
        self._guard: Guard[Environ] = Guard(**options)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        decision = self._guard.decide(environ, _seen(environ))
        if decision.rejection is not None:
            status, reason, headers, body = decision.rejection
            start_response(f"{status} {reason}", [*headers.items(), ("content-length", str(len(body)))])
            return [body]
        environ["tollgate"] = decision.access

        def start(status: str, headers: List[Tuple[str, str]], *error: Any) -> Any:
            return start_response(status, [*headers, *decision.headers.items()], *error)

        return self._app(environ, start)


def _seen(environ: Environ) -> Seen:
    def header(name: str) -> Optional[str]:
        value: Optional[str] = environ.get(f"HTTP_{name.upper().replace('-', '_')}")
        return value

    # WSGI has the bytes of the path as Latin-1.
    path = quote((environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1", "replace"))
    return Seen(header, path, environ.get("REMOTE_ADDR"))
