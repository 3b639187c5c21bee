"""Connections that are kept alive: one request at a time each, shared by threads, never across a fork."""

import http.client
import io
import os
import select
import socket
import ssl
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional
from urllib.parse import SplitResult

_MAX_IDLE_CONNECTIONS = 100


class Response(NamedTuple):
    status: int
    reason: str
    #: With names in lower case.
    headers: Mapping[str, str]
    body: bytes


class _DeadlineReader(io.RawIOBase):
    """Reads a response of which each part may be late, but not the whole."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._raw: Any = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._sock.settimeout(remaining(self._deadline))
        count: Optional[int] = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


def remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _response_class(deadline: float) -> Callable[..., http.client.HTTPResponse]:
    def respond(sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(sock, *args, **options)
        response.fp.close()
        response.fp = io.BufferedReader(_DeadlineReader(sock, deadline))
        return response

    return respond


def _is_readable(sock: socket.socket) -> bool:
    """An idle connection with something to read was closed by the server."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


class _Idle:
    """The idle connections of one process, with the lock of that process."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.connections: List[http.client.HTTPConnection] = []
        self.is_closed = False


class Connections:
    """The connections to one server."""

    def __init__(self, url: SplitResult, ssl_context: Optional[ssl.SSLContext]) -> None:
        self._url = url
        self._ssl_context = ssl_context
        self._idle = _Idle()

    def send(self, method: str, path: str, headers: Dict[str, str], body: Optional[bytes], timeout: float) -> Response:
        """Sends one request. Raises OSError, TimeoutError or HTTPException."""
        deadline = time.monotonic() + timeout
        connection = self._acquire()
        try:
            connection.timeout = remaining(deadline)
            if connection.sock is None:
                connection.connect()
            assert connection.sock is not None
            connection.sock.settimeout(remaining(deadline))
            connection.response_class = _response_class(deadline)  # type: ignore[assignment]
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            fields = {name.lower(): value for name, value in response.getheaders()}
            answer = Response(response.status, response.reason, fields, response.read())
        except BaseException:
            connection.close()
            raise
        self._release(connection)
        return answer

    def close(self) -> None:
        idle = self._own()
        with idle.lock:
            idle.is_closed = True
            connections, idle.connections = idle.connections, []
        for connection in connections:
            connection.close()

    def _own(self) -> _Idle:
        # After a fork, the sockets belong to the parent, and one of its threads may have held the lock.
        if self._idle.process != os.getpid():
            self._idle = _Idle()
        return self._idle

    def _acquire(self) -> http.client.HTTPConnection:
        idle = self._own()
        while True:
            with idle.lock:
                if not idle.connections:
                    break
                connection = idle.connections.pop()
            if connection.sock is not None and not _is_readable(connection.sock):
                return connection
            connection.close()
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme != "https":
            return http.client.HTTPConnection(host, port)
        with idle.lock:
            if self._ssl_context is None:
                self._ssl_context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, context=self._ssl_context)

    def _release(self, connection: http.client.HTTPConnection) -> None:
        idle = self._own()
        with idle.lock:
            if connection.sock is not None and not idle.is_closed and len(idle.connections) < _MAX_IDLE_CONNECTIONS:
                idle.connections.append(connection)
                return
        connection.close()
