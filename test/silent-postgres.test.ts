import { expect, test } from "bun:test";
import { proxiedPostgres } from "./support/postgres-proxy.ts";
import { useServer } from "./support/server.ts";
import { until } from "./support/until.ts";

const engine = proxiedPostgres();
const server = useServer(engine);

/** Load balancers time out after a few seconds. */
const patienceMs = 2_000;

test("if PostgreSQL stops responding, /storagez reports it and recovers with it, and /readyz stays", async () => {
  const probe = (path: string) => fetch(server.url + path, { signal: AbortSignal.timeout(patienceMs) });
  expect((await probe("/storagez")).status).toBe(200);
  engine.proxy.pause();
  const response = await until(async () => {
    const probed = await probe("/storagez");
    return probed.status === 503 ? probed : undefined;
  });
  expect(await response.json()).toEqual({
    status: "unavailable",
    storage: "postgres",
    reason: "the last write failed",
  });
  for (const path of ["/readyz", "/healthz"]) expect((await probe(path)).status).toBe(200);
  expect(await (await probe("/metrics")).text()).toContain("\ntollgate_storage_up 0\n");
  engine.proxy.resume();
  await until(async () => (await probe("/storagez")).status === 200);
  expect(await (await probe("/metrics")).text()).toContain("\ntollgate_storage_up 1\n");
});
