"""Runs the cases that it reads from stdin with the Python client and prints what came of each."""

import asyncio
import json
import sys
from decimal import Decimal

import tollgate
from tollgate import AsyncTollgate, Tollgate, TollgateError, UsageReporter
from tollgate import _client

pauses = []
_client._sleep = lambda seconds: pauses.append(round(seconds * 1000))
_client._random = lambda: 0.5


def call(client, case):
    method, arguments = case["method"], dict(case["arguments"])
    if method == "verifyKey":
        names = {"idempotencyKey": "idempotency_key"}
        return client.verify_key(**{names.get(name, name): value for name, value in arguments.items()})
    if method == "settle":
        return client.settle(arguments["bucketId"], arguments["holdId"], arguments["meters"])
    if method == "release":
        return client.release(arguments["bucketId"], arguments["holdId"])
    if method == "reporter":
        return report_in_background(client, case)
    if method == "report":
        return client.report(arguments["bucketId"], arguments["events"])
    return client.call(
        arguments["operation"], arguments.get("path", {}), arguments.get("query", {}), arguments.get("body")
    )


def report_in_background(client, case):
    given, dropped = case["arguments"], []
    drop = lambda events, reason: dropped.append([len(events), reason])
    reporter = UsageReporter(client, given["bucketId"], drop, given["maxQueue"])
    for customer, meters in given["adds"]:
        is_json = meters.get("requests") != "not JSON"
        reporter.add(customer, meters if is_json else {"requests": Decimal(1)})
    reporter.close(given["closeMs"] / 1000)
    reporter.add("late", {"requests": 1})
    return dropped


async def call_async(url, token, options, case):
    async with AsyncTollgate(url, token, **options) as client:
        if case["method"] == "reporter":
            return await asyncio.to_thread(report_in_background, client, case)
        return await call(client, case)


def run(case):
    pauses.clear()
    options = {name: case[name] for name in ("retries", "account") if name in case}
    if "timeoutMs" in case:
        options["timeout"] = case["timeoutMs"] / 1000
    outcome = {}
    try:
        if "async" in sys.argv:
            outcome["result"] = asyncio.run(call_async(case["url"], case.get("token"), options, case))
        else:
            with Tollgate(case["url"], case.get("token"), **options) as client:
                outcome["result"] = call(client, case)
    except TollgateError as error:
        outcome["error"] = {"status": error.status, "code": error.code, "errors": error.errors}
        if error.request_id is not None:
            outcome["error"]["requestId"] = error.request_id
        if error.retry_after is not None:
            outcome["error"]["retryAfterSeconds"] = error.retry_after
    outcome["pauses"] = list(pauses)
    return outcome


assert tollgate.__version__
print(json.dumps([run(case) for case in json.load(sys.stdin)]))
