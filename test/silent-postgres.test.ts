import { expect, test } from "bun:test";
import { connect } from "node:net";
import { SQL } from "bun";
import { newKeyHolder } from "./support/key-holder.ts";
import { proxiedPostgres } from "./support/postgres-proxy.ts";
import { rawRequest } from "./support/raw-http.ts";
import { useServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
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

test("if PostgreSQL can write its log but no other file, /storagez reports it", async () => {
  const probe = async () => (await fetch(`${server.url}/storagez`)).status;
  await using direct = new SQL(server.database.environment.DATABASE_URL!, { max: 1 });
  const [{ name }] = await direct`SELECT current_database() AS name`;
  await until(async () => (await probe()) === 200);
  await direct.unsafe(`ALTER DATABASE "${name}" SET temp_file_limit = '64kB'`);
  engine.proxy.cut();
  await until(async () => (await probe()) === 503);
  // Such a write has room.
  await until(async () => (await server.client.post("/v1/accounts/test/key-buckets", {})).status !== 503);
  await direct.unsafe(`ALTER DATABASE "${name}" RESET temp_file_limit`);
  engine.proxy.cut();
  await until(async () => (await probe()) === 200);
});

test("a write whose client has left before it began has no effect", async () => {
  const holder = await newKeyHolder(server.client);
  const create = (name: string) => server.client.post(`${holder.bucket}/consumers`, { name });
  await using direct = new SQL(server.database.environment.DATABASE_URL!, { max: 2 });
  await direct.begin(async (blocking) => {
    await blocking`LOCK TABLE consumers IN SHARE ROW EXCLUSIVE MODE`;
    const waiting = Array.from({ length: 20 }, (_, each) => create(`waits-${each}`));
    // All connections for writes are taken.
    await until(async () => {
      const [{ count }] = await direct`SELECT count(*)::int FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return count >= 6;
    });
    const body = JSON.stringify({ name: "gone" });
    const headers = [`authorization: Bearer ${adminToken}`, `content-length: ${body.length}`];
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    const request = rawRequest("POST", "127.0.0.1", `${holder.bucket}/consumers`, headers, body);
    await new Promise((sent) => socket.write(request, sent));
    socket.resetAndDestroy();
    await direct`SELECT pg_sleep(0.2)`;
    void Promise.allSettled(waiting);
  });
  await until(async () => (await create("afterwards")).status === 200);
  expect((await server.client.get(`${holder.bucket}/consumers/gone`)).status).toBe(404);
});
