import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { TestTarget } from "../../../test/support/target.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { Egress } from "../../platform/egress/egress.ts";
import { HttpClient } from "../../platform/http1/client/http-client.ts";
import { Log } from "../../platform/telemetry/log.ts";
import { Deadlines } from "./deadlines.ts";
import { type Checked, type Checkers, HealthChecks } from "./health-checks.ts";
import { OwnOrigin } from "./own-origin.ts";
import { TargetState } from "./target-state.ts";

const client = new HttpClient();
const log = new Log({ level: "error", readable: false, sink: { write: () => {} } });
let target: TestTarget;
/** A target whose checks wait until the test responds to them. */
const waiting: PromiseWithResolvers<Response>[] = [];
const slow = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    if (url.endsWith("/now")) return new Response();
    const response = Promise.withResolvers<Response>();
    waiting.push(response);
    return response.promise;
  },
});

beforeAll(async () => {
  target = await TestTarget.start("target");
});
afterAll(async () => {
  client.close();
  await target.stop();
  await slow.stop(true);
});
beforeEach(() => {
  waiting.length = 0;
});

function checksWith(checkers?: Checkers): HealthChecks {
  return new HealthChecks({
    egress: new Egress("any"),
    client,
    deadlines: new Deadlines(),
    clock: systemClock,
    log,
    checkers,
  });
}

function checked(url: string, intervalSeconds: number, state = new TargetState()): Checked {
  const health = { path: "/health", intervalSeconds, unhealthyAfter: 2, healthyAfter: 2 };
  return { deployment: "shop", origin: new OwnOrigin(url, 1), label: url, state, health };
}

test("a check that begins during another one replaces it: only its result counts", async () => {
  const checks = checksWith();
  const one = checked(slow.url.origin, 3600);
  checks.watch(one);
  await until(() => waiting.length === 1);
  checks.begin(one.origin.key);
  await until(() => waiting.length === 2);
  waiting[0]!.resolve(new Response(null, { status: 501 }));
  await fetch(`${slow.url.origin}/now`);
  waiting[1]!.resolve(new Response(null, { status: 502 }));
  await until(() => one.state.lastCheck?.status === 502);
  // Two failures would make it unhealthy.
  expect(one.state.isUnhealthy).toBe(false);
  checks.unwatch(one);
});

test("after the newest version is removed, checks continue at the interval of the version before", async () => {
  const checks = checksWith();
  const state = new TargetState();
  const [older, newer] = [checked(target.url, 0.02, state), checked(target.url, 3600, state)];
  checks.watch(older);
  checks.watch(newer);
  const before = target.checks;
  checks.unwatch(newer);
  await until(() => target.checks > before + 4);
  checks.unwatch(older);
});

test("a process that is no longer the checker ignores the result of its last check", async () => {
  const mine = new Set<string>();
  const checkers = {
    watch: (key: string) => void mine.add(key),
    unwatch: () => {},
    isMine: (key: string) => mine.has(key),
  };
  const checks = checksWith(checkers);
  const one = checked(slow.url.origin, 0.02);
  checks.watch(one);
  await until(() => waiting.length === 1);
  mine.clear();
  waiting[0]!.resolve(new Response(null, { status: 500 }));
  await fetch(`${slow.url.origin}/now`);
  expect([one.state.lastCheck, waiting.length]).toEqual([undefined, 1]);
  mine.add(one.origin.key);
  checks.begin(one.origin.key);
  await until(() => waiting.length >= 2);
  await until(() => {
    // On a busy machine a check may time out before its response, and another one begins.
    for (const each of waiting) each.resolve(new Response());
    return one.state.lastCheck?.status === 200;
  });
  checks.unwatch(one);
});
