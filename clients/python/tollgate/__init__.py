"""The client of a Tollgate server: verifies API keys, counts usage, calls every operation of the API.

Middleware is in ``tollgate.asgi`` (Starlette, FastAPI), ``tollgate.wsgi`` (Flask) and ``tollgate.django``.
"""

from ._client import AsyncTollgate, Tollgate
from ._errors import TollgateError
from ._operations import VERSION as __version__
from ._reporter import UsageReporter
from ._types import Access, Consumer, Event, IngestedEvents, KeyVerification, MeterUsage, RateLimit
from ._types import RejectedEvent, SettledHold, User

__all__ = [
    "Access",
    "AsyncTollgate",
    "Consumer",
    "Event",
    "IngestedEvents",
    "KeyVerification",
    "MeterUsage",
    "RateLimit",
    "RejectedEvent",
    "SettledHold",
    "Tollgate",
    "TollgateError",
    "UsageReporter",
    "User",
    "__version__",
]
