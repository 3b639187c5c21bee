"""Usage that is reported in the background."""

import json
import logging
import os
import threading
import time
import uuid
import weakref
from collections import deque
from datetime import datetime, timezone
from typing import Any, Callable, Deque, Dict, List, Optional, Union

from ._client import AsyncTollgate, Tollgate
from ._errors import TollgateError, pause_before
from ._types import Amounts

_BATCH = 1_000
#: How long events may wait for others, and how long a program waits for the last ones when it exits.
_GATHER_SECONDS = 1.0
_EXIT_SECONDS = 5.0

DropHandler = Callable[[List[Dict[str, Any]], str], None]


class UsageReporter:
    """Sends usage in batches from a thread of its own, which begins with the first event and ends with the reporter.

    An event has its id from the start and is repeated until the server has answered, so it is counted once. What is
    dropped is passed to ``on_drop(events, reason)``: ``queue_full``, ``closed`` (not sent within 5 s after ``close()`` or
    the exit of the program), ``invalid_parameter`` (not JSON), or the server's rejection. A killed process loses what was not sent.

    >>> client = Tollgate("http://127.0.0.1:8787", "tgt_…")
    >>> with UsageReporter(client, "mtr_…") as usage:  # doctest: +SKIP
    ...     usage.add("acme", {"requests": 1})
    """

    def __init__(
        self,
        client: Union[Tollgate, AsyncTollgate],
        bucket_id: str,
        on_drop: Optional[DropHandler] = None,
        max_queue: int = 100_000,
        *,
        source: str = "tollgate-python",
    ) -> None:
        # Its own thread may block.
        self._client = client._client if isinstance(client, AsyncTollgate) else client
        self._bucket_id = bucket_id
        self._on_drop = _logged(on_drop) if on_drop else lambda events, reason: None
        self._max_queue = max_queue
        self._source = source
        self._sending: Optional[_Sending] = None
        self._starting = threading.Lock()
        self._process = os.getpid()
        self._is_closed = False

    def add(self, customer_key: str, meters: Amounts) -> None:
        """Queues one event and returns at once. Amounts are greater than 0."""
        event = {
            "specversion": "1.0",
            "id": uuid.uuid4().hex,
            "source": self._source,
            "type": "usage",
            "subject": customer_key,
            "time": datetime.now(timezone.utc).isoformat(),
            "data": dict(meters),
        }
        if self._is_closed:
            self._on_drop([event], "closed")
        elif not _is_json(event):
            # Its batch could never be sent.
            self._on_drop([event], "invalid_parameter: the event is not JSON")
        elif not self._begin().add(event):
            self._on_drop([event], "queue_full")

    def close(self, timeout: float = _EXIT_SECONDS) -> None:
        """Sends what is queued, for at most ``timeout`` seconds, and drops the rest."""
        self._is_closed = True
        sending = self._sending
        if sending is not None and self._process == os.getpid():
            sending.close(timeout)

    def __enter__(self) -> "UsageReporter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> "_Sending":
        if self._process != os.getpid():
            # Forked: the thread and the events are the parent's, and one of its threads may have held the lock.
            self._starting, self._sending, self._process = threading.Lock(), None, os.getpid()
        with self._starting:
            if self._sending is None:
                self._sending = _Sending(self._client, self._bucket_id, self._on_drop, self._max_queue)
                # Also at the exit of the program. It must not refer to the reporter, which would never be collected.
                weakref.finalize(self, _Sending.close, self._sending, _EXIT_SECONDS)
            return self._sending


class _Sending:
    """The queue and its thread."""

    def __init__(self, client: Tollgate, bucket_id: str, on_drop: DropHandler, max_queue: int) -> None:
        self._client = client
        self._bucket_id = bucket_id
        self._on_drop = on_drop
        self._max_queue = max_queue
        self._process = os.getpid()
        self._queue: Deque[Dict[str, Any]] = deque()
        self._changed = threading.Condition()
        self._deadline: Optional[float] = None
        # A thread that is not a daemon would keep the program from exiting before `close` is called.
        self._thread = threading.Thread(target=self._run, name="tollgate-usage", daemon=True)
        self._thread.start()

    def add(self, event: Dict[str, Any]) -> bool:
        with self._changed:
            if len(self._queue) >= self._max_queue:
                return False
            self._queue.append(event)
            if len(self._queue) in (1, _BATCH):
                self._changed.notify_all()
            return True

    def close(self, timeout: float) -> None:
        if self._process != os.getpid():
            return
        with self._changed:
            if self._deadline is None:
                self._deadline = time.monotonic() + timeout
            deadline = self._deadline
            self._changed.notify_all()
        # The attempt in progress may take longer than what is left.
        self._thread.join(max(0.0, deadline - time.monotonic()))
        with self._changed:
            rest = list(self._queue)
            self._queue.clear()
        if rest:
            self._on_drop(rest, "closed")

    def _run(self) -> None:
        failures = 0
        while True:
            batch = self._next_batch(failures)
            if not batch:
                return
            try:
                left = None if self._deadline is None else max(0.1, self._deadline - time.monotonic())
                rejected = self._client._report(self._bucket_id, batch, left, 0)["rejected"]
                self._remove(batch)
                failures = 0
                for item in rejected:
                    self._on_drop([batch[item["index"]]], item["detail"])
            except TollgateError as error:
                if not _is_answer(error):
                    failures += 1
                    continue
                failures = 0
                self._remove(batch)
                self._on_drop(batch, f"{error.code}: {error.detail}")

    def _next_batch(self, failures: int) -> List[Dict[str, Any]]:
        """Waits for events, or for a pause after failures. Empty when all is sent or time is up."""
        with self._changed:
            if failures > 0:
                pause = pause_before(min(failures, 10), None, 0.5) or 0.0
                self._changed.wait_for(self._is_ending, pause)
                if self._is_ending():
                    # Repeats until time is up, but not in a tight loop.
                    self._changed.wait(0.1)
            elif not self._is_ending():
                self._changed.wait_for(lambda: self._queue or self._is_ending())
                self._changed.wait_for(lambda: len(self._queue) >= _BATCH or self._is_ending(), _GATHER_SECONDS)
            if self._deadline is not None and time.monotonic() >= self._deadline:
                return []
            return [self._queue[index] for index in range(min(_BATCH, len(self._queue)))]

    def _is_ending(self) -> bool:
        return self._deadline is not None

    def _remove(self, batch: List[Dict[str, Any]]) -> None:
        with self._changed:
            # `close` may have dropped them in the meantime: they are counted all the same.
            for _ in range(min(len(batch), len(self._queue))):
                self._queue.popleft()


def _logged(on_drop: DropHandler) -> DropHandler:
    """An exception of the handler must not end the thread."""

    def drop(events: List[Dict[str, Any]], reason: str) -> None:
        try:
            on_drop(events, reason)
        except Exception:
            logging.getLogger("tollgate").exception("on_drop failed for %d events (%s)", len(events), reason)

    return drop


def _is_json(event: Dict[str, Any]) -> bool:
    try:
        json.dumps(event, allow_nan=False)
        return True
    except (TypeError, ValueError):
        return False


def _is_answer(error: TollgateError) -> bool:
    """Whether the server has rejected the batch, so that a repetition would be rejected too."""
    if error.status == 0 or error.code == "unexpected_answer":
        return error.code == "invalid_parameter"
    return error.status != 429 and error.status < 500
