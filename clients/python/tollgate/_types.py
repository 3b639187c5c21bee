"""The shapes of the API that programs meet most. Those of other operations are in the reference at ``/docs``."""

import sys
from typing import Any, Dict, List, Mapping, Optional, TypedDict, Union

Amounts = Mapping[str, Union[int, float]]
#: A CloudEvent 1.0: ``specversion``, ``id``, ``source``, ``type``, ``subject`` (the customer key), ``data``.
Event = Mapping[str, Any]


class Consumer(TypedDict):
    id: str
    name: str


class User(TypedDict):
    #: The name of the consumer.
    sub: str
    #: The metadata of the consumer.
    data: Any


class RateLimit(TypedDict):
    limit: int
    remaining: int
    resetSeconds: int


class _MeterAmounts(TypedDict):
    used: float
    max: float
    #: Never below 0; ``used`` may exceed ``max``.
    available: float


class MeterUsage(_MeterAmounts, total=False):
    label: str
    #: What grants of the customer allow beyond ``max``.
    credits: float


class SettledHold(TypedDict):
    holdId: str
    meters: Dict[str, MeterUsage]
    #: The end of the period that the hold was made in.
    periodEnd: str


class _ObservedCode(TypedDict):
    code: str


class Observed(_ObservedCode, total=False):
    """Why a key would have been rejected without ``observe``."""

    retryAfterSeconds: int


class _Caller(TypedDict):
    keyId: str
    consumer: Consumer
    user: User
    expiresOn: Optional[str]


class Access(_Caller, total=False):
    """The caller of a request: a valid key and its consumer."""

    permissions: List[str]
    #: With ``consume`` or ``hold``, as the two below.
    meters: Dict[str, MeterUsage]
    periodEnd: str
    rateLimit: RateLimit
    #: To settle or release it with.
    holdId: str
    #: With ``observe``.
    observed: Observed


class _Valid(TypedDict):
    valid: bool


class KeyVerification(_Valid, total=False):
    """If ``valid``, everything that ``Access`` has."""

    keyId: str
    consumer: Consumer
    user: User
    expiresOn: Optional[str]
    permissions: List[str]
    meters: Dict[str, MeterUsage]
    periodEnd: str
    rateLimit: RateLimit
    holdId: str
    observed: Observed
    #: Why the key is not valid, or may not be used for this.
    code: str
    retryAfterSeconds: int


class RejectedEvent(TypedDict):
    index: int
    detail: str


class IngestedEvents(TypedDict):
    accepted: int
    duplicates: int
    rejected: List[RejectedEvent]
