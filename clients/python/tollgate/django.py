"""Middleware for Django, synchronous and asynchronous. Its options are the dictionary ``settings.TOLLGATE``."""

from typing import Any, Awaitable, Callable, Union
from urllib.parse import quote

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from ._guard import Decision, Guard, Seen


class TollgateMiddleware:
    """Rejects requests without a valid key. ``request.tollgate`` is the caller.

    It is None if the server was unavailable and ``on_unavailable`` is ``"allow"``. Functions among the options get the
    request of Django.

    >>> MIDDLEWARE = ["tollgate.django.TollgateMiddleware"]
    >>> TOLLGATE = {"url": "https://tollgate.example.com", "token": "tgt_…", "bucket": "main"}
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        self._guard: Guard[HttpRequest] = Guard(**settings.TOLLGATE)
        # Django asks whether a middleware is asynchronous with these two.
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Union[HttpResponse, Awaitable[HttpResponse]]:
        if self._is_async:
            return self._respond(request)
        decision = self._guard.decide(request, _seen(request))
        response = _rejected(decision)
        if response is None:
            request.tollgate = decision.access
            response = self._get_response(request)
            _add_headers(response, decision)
        return response

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        decision = await self._guard.decide_async(request, _seen(request))
        response = _rejected(decision)
        if response is None:
            request.tollgate = decision.access
            response = await self._get_response(request)
            _add_headers(response, decision)
        return response


def _seen(request: HttpRequest) -> Seen:
    return Seen(request.headers.get, quote(request.path), request.META.get("REMOTE_ADDR"))


def _rejected(decision: Decision) -> Any:
    if decision.rejection is None:
        return None
    response = HttpResponse(decision.rejection.body, status=decision.rejection.status)
    for name, value in decision.rejection.headers.items():
        response[name] = value
    return response


def _add_headers(response: HttpResponse, decision: Decision) -> None:
    for name, value in decision.headers.items():
        response[name] = value
