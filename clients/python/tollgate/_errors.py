"""The error of a failed call, and which errors a retry can mend."""

import json
from typing import Any, Dict, List, Mapping, Optional

# Pauses between attempts, in seconds.
_FIRST_PAUSE = 0.2
_MAX_PAUSE = 5.0
_MAX_RETRY_AFTER = 30


class TollgateError(Exception):
    """A call that failed.

    ``status`` is the HTTP status, or 0 if there was no response. ``code`` is stable: one of the server's, or one of the
    client's own: ``network`` (no connection, or a lost one), ``timeout``, ``unexpected_answer`` (a response that is not
    from a Tollgate server, such as a proxy's), ``account_required`` (the operator must name an account) and
    ``invalid_parameter`` (a name that no resource can have, or a token that no request can contain). ``errors`` are the invalid fields of the request.

    >>> try:
    ...     raise TollgateError(409, "consumer_exists", "The consumer exists already.")
    ... except TollgateError as error:
    ...     print(error.code)
    consumer_exists
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Optional[List[Dict[str, str]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors or []
        self.request_id = request_id
        self.retry_after = retry_after

    def __reduce__(self) -> Any:
        # Exceptions cross processes in pools of workers; the default passes only `args` to the constructor.
        return (_restore, (self.__dict__,))


def _restore(fields: Dict[str, Any]) -> TollgateError:
    error = TollgateError(fields["status"], fields["code"], fields["detail"])
    error.__dict__.update(fields)
    return error


def rejection(status: int, reason: str, headers: Mapping[str, str], body: bytes) -> TollgateError:
    """The error of a response that is not 2xx, or that has no JSON where there should be some."""
    after = headers.get("retry-after", "")
    request_id = headers.get("x-request-id")
    retry_after = int(after) if after.isascii() and after.isdigit() else None
    problem = _problem_in(body)
    if problem is not None:
        code, detail, errors = problem
        return TollgateError(status, code, detail, errors=errors, request_id=request_id, retry_after=retry_after)
    location = headers.get("location")
    detail = (
        f"The server is elsewhere: {status} leads to {location}. Give the client that address."
        if location
        else f"The response was {status} {reason}, and not from a Tollgate server. Is the address right?"
    )
    return TollgateError(status, "unexpected_answer", detail, request_id=request_id, retry_after=retry_after)


def _problem_in(body: bytes) -> Any:
    try:
        problem = json.loads(body)
    except ValueError:
        return None
    if not isinstance(problem, dict):
        return None
    # The second shape is OAuth's, which the exchange of tokens returns.
    for code, detail in (("code", "detail"), ("error", "error_description")):
        if isinstance(problem.get(code), str) and isinstance(problem.get(detail), str):
            return problem[code], problem[detail], problem.get("errors")
    return None


def is_retryable(error: TollgateError, repeatable: bool) -> bool:
    """A request without an effect of its own can always be repeated, another one only if the server rejected it."""
    if error.status in (429, 503) or error.code == "request_in_progress":
        return True
    return repeatable and error.code in ("network", "timeout")


def pause_before(retry: int, retry_after: Optional[int], random: float) -> Optional[float]:
    """The pause doubles, and half of it is random. None if the server asks for more than the maximum."""
    pause: float = min(_FIRST_PAUSE * 2**retry, _MAX_PAUSE)
    jittered = pause / 2 + pause / 2 * random
    if retry_after is None:
        return jittered
    return None if retry_after > _MAX_RETRY_AFTER else retry_after + jittered
