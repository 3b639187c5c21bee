"""What the middleware of all frameworks shares: whether a request may pass."""

import json
import re
import uuid
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Generic, Mapping, NamedTuple, Optional, TypeVar, Union

from ._client import AsyncTollgate, Tollgate
from ._errors import TollgateError
from ._problems import CODES, PROBLEMS
from ._types import Access, KeyVerification

Request = TypeVar("Request")

_TITLES = {
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    429: "Too Many Requests",
    503: "Service Unavailable",
}


class Seen(NamedTuple):
    """The parts of a request that decide."""

    #: Of a header by its name in lower case.
    header: Callable[[str], Optional[str]]
    #: As in the URL, without the query.
    path: str
    ip: Optional[str]


class Rejection(NamedTuple):
    status: int
    reason: str
    headers: Dict[str, str]
    body: bytes


class Decision(NamedTuple):
    """``access`` is None for a rejected request, and if the server is unavailable and ``on_unavailable`` is ``allow``."""

    access: Optional[Access]
    #: For the response of the application.
    headers: Dict[str, str]
    rejection: Optional[Rejection]


class Guard(Generic[Request]):
    """Decides whether a request may pass.

    ``consume`` (``{"bucketId": …, "meters": {…}}``), ``permission`` and ``ip`` may be functions of the framework's request.
    With ``observe``, requests pass that a permission, a rate limit or a quota would reject: the caller has ``observed``.
    """

    def __init__(
        self,
        *,
        url: str,
        token: str,
        bucket: str,
        account: Optional[str] = None,
        consume: Union[None, Mapping[str, Any], Callable[[Request], Optional[Mapping[str, Any]]]] = None,
        permission: Union[None, str, Callable[[Request], Optional[str]]] = None,
        ip: Optional[Callable[[Request], Optional[str]]] = None,
        header: str = "authorization",
        scheme: Optional[str] = None,
        observe: bool = False,
        on_unavailable: str = "reject",
        timeout: float = 2.0,
    ) -> None:
        if on_unavailable not in ("reject", "allow"):
            raise ValueError(f'on_unavailable must be "reject" or "allow", not {on_unavailable!r}')
        # A retry would keep the caller waiting.
        options: Dict[str, Any] = {"account": account, "timeout": timeout, "retries": 0}
        self.client = Tollgate(url, token, **options)
        self.async_client = AsyncTollgate(url, token, **options)
        self._bucket = bucket
        self._consume = consume
        self._permission = permission
        self._ip = ip
        self._observe = observe
        self._header = header.lower()
        self._allows_unavailable = on_unavailable == "allow"
        if scheme is None:
            scheme = "Bearer" if self._header == "authorization" else ""
        self._prefix = f"{scheme.lower()} " if scheme else ""
        where = "" if self._header == "authorization" else f', header="{self._header}"'
        self._challenge = f'{scheme or "ApiKey"} realm="{bucket}"{where}'

    def decide(self, request: Request, seen: Seen) -> Decision:
        """Raises RuntimeError if the server rejects the call itself, such as for a wrong token."""
        key = self._key_of(seen)
        if key is None:
            return self._missing(seen)
        try:
            return self._decided(self.client.verify_key(self._bucket, key, **self._usage(request, seen)), seen)
        except TollgateError as error:
            return self._failed(error, seen)

    async def decide_async(self, request: Request, seen: Seen) -> Decision:
        """The same without blocking the event loop."""
        key = self._key_of(seen)
        if key is None:
            return self._missing(seen)
        try:
            verification = await self.async_client.verify_key(self._bucket, key, **self._usage(request, seen))
            return self._decided(verification, seen)
        except TollgateError as error:
            return self._failed(error, seen)

    def _usage(self, request: Request, seen: Seen) -> Dict[str, Any]:
        return {
            "ip": self._ip(request) if self._ip else seen.ip,
            "permission": self._permission(request) if callable(self._permission) else self._permission,
            "consume": self._consume(request) if callable(self._consume) else self._consume,
            "observe": self._observe,
        }

    def _key_of(self, seen: Seen) -> Optional[str]:
        """A header with another scheme contains no key."""
        value = seen.header(self._header) or ""
        if not value.lower().startswith(self._prefix):
            return None
        return value[len(self._prefix) :].strip() or None

    def _missing(self, seen: Seen) -> Decision:
        return _rejected("key_missing", seen, {"www-authenticate": self._challenge})

    def _decided(self, verification: KeyVerification, seen: Seen) -> Decision:
        limit = verification.get("rateLimit")
        headers = {} if limit is None else {
            "ratelimit-limit": str(limit["limit"]),
            "ratelimit-remaining": str(limit["remaining"]),
            "ratelimit-reset": str(limit["resetSeconds"]),
        }
        if verification["valid"]:
            access: Any = {name: value for name, value in verification.items() if name != "valid"}
            # Nothing of what is observed reaches the client.
            return Decision(access, {} if self._observe else headers, None)
        problem = CODES.get(verification["code"], "key_invalid")
        if problem in ("key_invalid", "key_expired", "key_disabled"):
            headers["www-authenticate"] = f'{self._challenge}, error="invalid_token"'
        if "retryAfterSeconds" in verification:
            headers["retry-after"] = str(verification["retryAfterSeconds"])
        return _rejected(problem, seen, headers)

    def _failed(self, error: TollgateError, seen: Seen) -> Decision:
        is_unavailable = error.status in (0, 429) or error.status >= 500
        if not is_unavailable or error.code in ("invalid_parameter", "account_required"):
            # Frameworks may send the status of an exception, such as 401 for a wrong token, to the caller.
            raise RuntimeError(f"The middleware cannot verify keys: {error.detail} ({error.code})") from error
        if self._allows_unavailable:
            return Decision(None, {}, None)
        return _rejected("verification_unavailable", seen, {"retry-after": "1"})


def _rejected(code: str, seen: Seen, headers: Dict[str, str]) -> Decision:
    status, detail = PROBLEMS[code]
    given = seen.header("x-request-id") or ""
    request_id = given if re.fullmatch(r"[\x21-\x7e]{1,128}", given) else str(uuid.uuid4())
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = {
        "type": f"https://httpproblems.com/http-status/{status}",
        "title": _TITLES[status],
        "status": status,
        "detail": detail,
        "instance": seen.path,
        "code": code,
        "trace": {"requestId": request_id, "timestamp": now},
    }
    fields = {
        "content-type": "application/problem+json",
        "cache-control": "no-store",
        "x-request-id": request_id,
        **headers,
    }
    return Decision(None, {}, Rejection(status, _TITLES[status], fields, json.dumps(body).encode()))
