import { expect } from "bun:test";
import { postgres } from "../../test/support/engines.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { StoppablePostgres } from "../../test/support/stoppable-postgres.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene } from "../gateway-scene.ts";
import type { Fault } from "./fault.ts";

/** Longer than a client should wait, shorter than its timeout. */
const soonMs = 5_000;
const recoversWithinMs = 10_000;

export const storageGone: Fault = async (promises, { effort }) => {
  const cluster = await StoppablePostgres.create();
  const database = { environment: { DATABASE_URL: cluster.url }, drop: async () => {} };
  const server = await spawnServer(postgres, { database });
  const { client } = server;
  const scene = await GatewayScene.open(() => server);
  for (const path of ["/open", "/guarded", "/hello"]) expect(await scene.status(path)).toBe(200);
  const keysBefore = (await client.get(scene.keysPath)).body.total;
  await until(async () => (await scene.used()) === 1, { withinMs: soonMs, what: "the first request to be counted" });

  const callsEach = 20;
  for (let outage = 0; outage < effort.outages; outage++) {
    await cluster.stop();
    for (let call = 0; call < callsEach; call++) {
      const statuses = await Promise.all(["/open", "/guarded", "/hello"].map((path) => scene.status(path)));
      expect(statuses).toEqual([200, 200, 200]);
      const verified = await client.post(`${scene.keysPath.split("/consumers")[0]}/verify-key`, {
        key: scene.key.value,
      });
      expect(verified.body).toMatchObject({ valid: true });
    }
    const started = performance.now();
    const responses = await Promise.all(Array.from({ length: callsEach }, () => client.post(scene.keysPath, {})));
    expect(performance.now() - started).toBeLessThan(soonMs);
    for (const { status, headers } of responses) expect([status, headers.has("retry-after")]).toEqual([503, true]);
    await until(async () => (await fetch(`${server.url}/storagez`)).status === 503);
    for (const path of ["/readyz", "/healthz"]) expect((await fetch(server.url + path)).status).toBe(200);
    await cluster.start();
    const isBack = async () => (await fetch(`${server.url}/storagez`)).status === 200;
    await until(isBack, { withinMs: recoversWithinMs, what: "the server to recover" });
  }
  promises.kept("Deployments keep serving.");
  promises.kept("Keys and tokens that the node has seen keep working");
  promises.kept("Writes are soon rejected with 503 and `Retry-After`.");
  promises.kept("`/storagez` returns 503, `/readyz` and `/healthz` 200.");
  promises.kept("It recovers without help when PostgreSQL is back.");

  expect((await client.get(scene.keysPath)).body.total).toBe(keysBefore);
  promises.kept("A rejected write had no effect.");

  const calls = effort.outages * callsEach;
  const used = 1 + calls;
  await until(async () => (await scene.used()) === used, {
    withinMs: soonMs,
    what: `${used} requests to be counted`,
  });
  promises.kept("Requests that gateways served during the outage are counted afterwards.");

  await scene.close();
  await server.stop();
  await cluster.remove();
  return `${effort.outages} times; ${3 * calls} gateway requests served meanwhile and counted after, ${calls} writes rejected`;
};
