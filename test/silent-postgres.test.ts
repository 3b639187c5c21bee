import { expect, test } from "bun:test";
import { proxiedPostgres } from "./support/postgres-proxy.ts";
import { useServer } from "./support/server.ts";
import { until } from "./support/until.ts";

const engine = proxiedPostgres();
const server = useServer(engine);

/** Load balancers time out after a few seconds and would not get the reason. */
const patienceMs = 10_000;

test("if PostgreSQL stops responding, readiness reports it in time and recovers with it", async () => {
  const readiness = () => fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(patienceMs) });
  expect((await readiness()).status).toBe(200);
  engine.proxy.fallSilent();
  const response = await readiness();
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: "unready", reason: "storage is unavailable" },
  ]);
  engine.proxy.speakAgain();
  await until(async () => (await readiness()).status === 200);
});
