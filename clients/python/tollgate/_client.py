"""The client of a Tollgate server."""

import asyncio
import functools
import http.client
import json
import os
import random
import re
import secrets
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from ._connections import Connections, Response
from ._errors import TollgateError, is_retryable, pause_before, rejection
from ._operations import OPERATIONS, VERSION
from ._types import Amounts, Event, IngestedEvents, KeyVerification, SettledHold

_MAX_ASYNC_THREADS = 64
#: In the value of a header.
_ILLEGAL = re.compile(r"[^\t\x20-\x7e\x80-\xff]")

# Replaced by tests.
_sleep = time.sleep
_random = random.random


class Tollgate:
    """A client of a Tollgate server. Threads may share it; connections are opened with the first call and kept alive.

    >>> from tollgate import Tollgate
    >>> client = Tollgate("http://127.0.0.1:8787", "tgt_0123456789abcdef0123456789abcdef_7759b50e")
    >>> client.verify_key("main", "tg_0123456789abcdef0123456789abcdef_7759b50e")["valid"]  # doctest: +SKIP
    False

    ``timeout`` is that of each attempt, in seconds. A call is repeated up to ``retries`` times after 429, 503, a timeout
    or a lost connection, if that is safe. ``account`` is needed with the operator's token alone.
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        *,
        account: Optional[str] = None,
        timeout: float = 30.0,
        retries: int = 3,
        user_agent: str = f"tollgate-python/{VERSION}",
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._url = _checked_url(url)
        self._token = None if token is None else token.strip()
        self._account = account
        self._timeout = timeout
        self._retries = retries
        self._user_agent = user_agent
        self._connections = Connections(self._url, ssl_context)

    def verify_key(
        self,
        bucket: str,
        key: str,
        consume: Optional[Mapping[str, Any]] = None,
        hold: Optional[Mapping[str, Any]] = None,
        *,
        ip: Optional[str] = None,
        permission: Optional[str] = None,
        observe: bool = False,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> KeyVerification:
        """Whether a key is valid, and its consumer.

        With ``consume`` (``{"bucketId": …, "meters": {"requests": 1}}``) it also takes from the plan of the consumer; a
        lost response to it is not repeated without an ``idempotency_key``. With ``hold`` it holds amounts that are known
        later, until they are settled or released. With ``observe``, a missing permission, a used up rate limit and a
        quota that does not suffice are reported as ``observed``, and the key is valid.

        >>> Tollgate("http://127.0.0.1:8787", "tgt_…").verify_key("main", "tg_…")  # doctest: +SKIP
        {'valid': True, 'keyId': 'key_…', 'consumer': {'id': 'csmr_…', 'name': 'acme'}, …}
        """
        body: Dict[str, Any] = {"key": key}
        optional = {"ip": ip, "permission": permission, "consume": consume, "hold": hold, "observe": observe or None}
        body.update({name: value for name, value in optional.items() if value is not None})
        # With a key the server takes in a transaction: slower than from memory, so `consume` has one only on request.
        has_key = hold is not None or (consume is not None and idempotency_key is not None)
        verification: KeyVerification = self._send(
            "verifyKey",
            {"bucketName": bucket},
            body=body,
            idempotency_key=idempotency_key or _new_key() if has_key else None,
            is_repeatable=has_key or consume is None,
            timeout=timeout,
        )
        return verification

    def settle(self, bucket_id: str, hold_id: str, meters: Amounts, *, timeout: Optional[float] = None) -> SettledHold:
        """Counts the amounts that were used of a hold, and returns the rest.

        >>> Tollgate("http://127.0.0.1:8787", "tgt_…").settle("mtr_…", "hold_…", {"tokens": 812})  # doctest: +SKIP
        {'meters': {'tokens': {…}}}
        """
        settled: SettledHold = self.call(
            "settleHold", {"bucketId": bucket_id, "holdId": hold_id}, body={"meters": meters}, timeout=timeout
        )
        return settled

    def release(self, bucket_id: str, hold_id: str, *, timeout: Optional[float] = None) -> None:
        """Returns what is held.

        >>> Tollgate("http://127.0.0.1:8787", "tgt_…").release("mtr_…", "hold_…")  # doctest: +SKIP
        """
        self.call("releaseHold", {"bucketId": bucket_id, "holdId": hold_id}, timeout=timeout)

    def report(self, bucket_id: str, events: Sequence[Event], *, timeout: Optional[float] = None) -> IngestedEvents:
        """Counts usage, and returns when it is stored durably. An event that was sent before is a duplicate.

        >>> event = {"specversion": "1.0", "id": "request-1", "source": "api", "type": "request",
        ...          "subject": "acme", "data": {"requests": 1}}
        >>> Tollgate("http://127.0.0.1:8787", "tgt_…").report("mtr_…", [event])  # doctest: +SKIP
        {'accepted': 1, 'duplicates': 0, 'rejected': []}
        """
        return self._report(bucket_id, events, timeout, None)

    def _report(
        self, bucket_id: str, events: Sequence[Event], timeout: Optional[float], retries: Optional[int]
    ) -> IngestedEvents:
        path = {"bucketId": bucket_id}
        counted: IngestedEvents = self._send(
            "recordUsage", path, body=list(events), timeout=timeout, retries=retries
        )
        return counted

    def call(
        self,
        operation_id: str,
        path: Mapping[str, Union[str, int]] = {},
        query: Mapping[str, Any] = {},
        body: Any = None,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Calls an operation of the API by the ``operationId`` that the reference at ``/docs`` shows.

        Returns the JSON of the response, text or bytes where the operation has another type, and None for 204. The
        account in the path is the client's. A list as a value of ``query`` repeats the parameter.

        >>> client = Tollgate("http://127.0.0.1:8787", "tgt_…")
        >>> client.call("listConsumers", {"bucketName": "main"}, {"limit": 10})["total"]  # doctest: +SKIP
        3
        """
        method = _operation(operation_id)[0]
        key = idempotency_key or _new_key() if method == "POST" else None
        # If the response to a change was lost, its repetition may be rejected: the caller must look.
        return self._send(
            operation_id,
            path,
            query=query,
            body=body,
            idempotency_key=key,
            if_match=if_match,
            is_repeatable=method != "PATCH",
            timeout=timeout,
        )

    def close(self) -> None:
        """Closes idle connections. Calls in progress end first."""
        self._connections.close()

    def __enter__(self) -> "Tollgate":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _own_account(self, timeout: Optional[float]) -> str:
        if self._account is None:
            account = self._send("whoAmI", {}, timeout=timeout).get("account")
            if account is None:
                detail = "The operator's token has no account of its own. Name one: Tollgate(url, token, account=…)."
                raise TollgateError(0, "account_required", detail)
            self._account = account
        return self._account

    def _send(
        self,
        operation_id: str,
        path: Mapping[str, Union[str, int]],
        *,
        query: Mapping[str, Any] = {},
        body: Any = None,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        is_repeatable: bool = True,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
    ) -> Any:
        method, template, media_type = _operation(operation_id)
        parameters = dict(path)
        if "{accountName}" in template and "accountName" not in parameters:
            parameters["accountName"] = self._own_account(timeout)
        wanted = dict(query)
        # The operator has no account and must name one if the path does not.
        if self._account is not None and not template.startswith("/v1/accounts"):
            wanted.setdefault("accountName", self._account)
        target = self._url.path + _path_of(template, parameters) + _query_of(wanted)
        headers = {"user-agent": self._user_agent}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if media_type is not None:
            headers["accept"] = media_type
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        if if_match is not None:
            headers["if-match"] = if_match
        for name, value in headers.items():
            if _ILLEGAL.search(value):
                raise TollgateError(0, "invalid_parameter", f"{name} has characters that HTTP does not allow")
        content = _content_of(body, headers)
        last_retry = max(0, self._retries if retries is None else retries)
        for retry in range(last_retry + 1):
            try:
                response = self._attempt(method, target, headers, content, timeout or self._timeout)
                # If the response to the first attempt was lost, the retry finds nothing to delete.
                if method == "DELETE" and retry > 0 and response.status == 404:
                    return None
                return _result_of(response, media_type)
            except TollgateError as error:
                if retry == last_retry or not is_retryable(error, is_repeatable):
                    raise
                pause = pause_before(retry, error.retry_after, _random())
                if pause is None:
                    raise
                _sleep(pause)
        raise AssertionError("unreachable")

    def _attempt(
        self, method: str, target: str, headers: Dict[str, str], content: Optional[bytes], timeout: float
    ) -> Response:
        origin = f"{self._url.scheme}://{self._url.netloc}"
        try:
            return self._connections.send(method, target, headers, content, timeout)
        except (TimeoutError, socket.timeout) as error:
            detail = f"{origin} did not respond within {timeout:g} s."
            raise TollgateError(0, "timeout", detail) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            detail = f"Cannot connect to {origin}, or the connection was lost: {reason}"
            raise TollgateError(0, "network", detail) from error


class AsyncTollgate:
    """The same methods for asyncio. Calls run in threads of its own, which end with ``aclose()`` or ``async with``.

    >>> async def check(key):
    ...     async with AsyncTollgate("http://127.0.0.1:8787", "tgt_…") as client:
    ...         return await client.verify_key("main", key)
    """

    def __init__(self, url: str, token: Optional[str] = None, **options: Any) -> None:
        self._client = Tollgate(url, token, **options)
        self._threads: Optional[ThreadPoolExecutor] = None
        self._process = os.getpid()

    async def verify_key(self, bucket: str, key: str, *args: Any, **options: Any) -> KeyVerification:
        verification: KeyVerification = await self._run(self._client.verify_key, bucket, key, *args, **options)
        return verification

    async def settle(self, bucket_id: str, hold_id: str, meters: Amounts, **options: Any) -> SettledHold:
        settled: SettledHold = await self._run(self._client.settle, bucket_id, hold_id, meters, **options)
        return settled

    async def release(self, bucket_id: str, hold_id: str, **options: Any) -> None:
        await self._run(self._client.release, bucket_id, hold_id, **options)

    async def report(self, bucket_id: str, events: Sequence[Event], **options: Any) -> IngestedEvents:
        counted: IngestedEvents = await self._run(self._client.report, bucket_id, events, **options)
        return counted

    async def call(self, operation_id: str, *args: Any, **options: Any) -> Any:
        return await self._run(self._client.call, operation_id, *args, **options)

    async def aclose(self) -> None:
        """Ends the threads when the calls in progress have ended, and closes the connections."""
        threads, self._threads = self._threads, None
        if threads is not None:
            await asyncio.get_running_loop().run_in_executor(None, threads.shutdown)
        self._client.close()

    async def __aenter__(self) -> "AsyncTollgate":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _run(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        # Made with the first call, and again after a fork, which threads do not survive.
        if self._threads is None or self._process != os.getpid():
            self._threads, self._process = ThreadPoolExecutor(_MAX_ASYNC_THREADS, "tollgate"), os.getpid()
        work = functools.partial(function, *args, **options)
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _checked_url(text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        if url.scheme in ("http", "https") and url.hostname and url.port != 0:
            return url._replace(path=url.path.rstrip("/"), query="", fragment="")
    except ValueError:
        pass
    detail = f"url must begin with http:// or https://, such as http://127.0.0.1:8787, not {json.dumps(text)}"
    raise TollgateError(0, "invalid_parameter", detail)


def _operation(operation_id: str) -> List[Any]:
    text = OPERATIONS.get(operation_id)
    if text is None:
        raise TollgateError(0, "invalid_parameter", f"There is no operation {operation_id!r}.")
    method, path, *media_type = text.split(" ")
    return [method, path, media_type[0] if media_type else None]


def _path_of(template: str, parameters: Dict[str, Union[str, int]]) -> str:
    def segment(match: "re.Match[str]") -> str:
        name = match[1]
        value = parameters.pop(name, None)
        if value is None:
            raise TollgateError(0, "invalid_parameter", f"{name} is missing in path")
        # An empty or dotted segment would address another resource: deleting a key could delete its consumer.
        if value in ("", ".", ".."):
            raise TollgateError(0, "invalid_parameter", f"{name} must not be {json.dumps(value)}")
        return quote(str(value), safe="", errors="surrogatepass")

    path = re.sub(r"\{(\w+)\}", segment, template)
    unknown = [name for name in parameters if name != "accountName"]
    if unknown:
        raise TollgateError(0, "invalid_parameter", f"{unknown[0]} is not a parameter of {template}")
    return path


def _query_of(query: Mapping[str, Any]) -> str:
    pairs = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
    return "?" + urlencode(pairs) if pairs else ""


def _content_of(body: Union[None, bytes, Any], headers: Dict[str, str]) -> Optional[bytes]:
    if body is None or isinstance(body, bytes):
        return body
    headers["content-type"] = "application/json"
    try:
        try:
            return json.dumps(body, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            # Half of a surrogate pair has no UTF-8: only escapes can say it.
            return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise TollgateError(0, "invalid_parameter", f"body is not JSON: {error}") from error


def _result_of(response: Response, media_type: Optional[str]) -> Any:
    if not 200 <= response.status < 300:
        raise rejection(response.status, response.reason, response.headers, response.body)
    if response.status == 204:
        return None
    if media_type is not None and not media_type.endswith("json"):
        return response.body.decode() if media_type.startswith("text/") else response.body
    try:
        return json.loads(response.body)
    except ValueError:
        raise rejection(response.status, response.reason, response.headers, b"") from None


def _new_key() -> str:
    return secrets.token_hex(16)
