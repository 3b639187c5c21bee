import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { postgres } from "./support/engines.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { startReplicatedPostgres } from "./support/replicated-postgres.ts";
import { account, operatorToken } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

let replicated: Awaited<ReturnType<typeof startReplicatedPostgres>>;
let server: SpawnedServer;
let standby: SQL;

beforeAll(async () => {
  replicated = await startReplicatedPostgres();
  standby = new SQL(replicated.standbyUrl, { max: 1 });
  const environment = { DATABASE_URL: replicated.url, TOLLGATE_DATABASE_REPLICA_URL: replicated.standbyUrl };
  server = await spawnServer(postgres, { database: { environment, drop: async () => {} } });
});

afterAll(async () => {
  await server.stop();
  await standby.close();
  await replicated.remove();
  failIfAnythingRuns();
});

const status = async () => (await server.client.as(operatorToken).get("/v1/system")).body.replica;
const counted = async () => {
  const { body } = await server.client.get(`/v1/accounts/${account}/analytics/verifications`);
  return body.series[0].totals.verifications as number;
};
const metric = async (name: string) => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
};
const isUsed = (value: boolean) => until(async () => (await status())?.isUsed === value, { what: `isUsed ${value}` });

test("a current replica serves analytics; one that is behind or away does not, and its return is noticed", async () => {
  const { bucket, keys } = await newKeyHolder(server.client);
  const { id, key } = (await server.client.post(keys, {})).body;
  await isUsed(true);
  expect((await status()).lagMs).toBeLessThan(10_000);
  expect(await metric("tollgate_replica_used")).toBe(1);
  expect(await metric("tollgate_replica_lag_seconds")).toBeLessThan(10);
  expect(await verdict(server.client, bucket, key)).toBe("valid");
  await until(async () => (await counted()) === 1, { what: "the first count on the replica" });

  // From now on the replica is as it was. Keys are read from the primary, and so is what the caller has written.
  await standby.unsafe("SELECT pg_wal_replay_pause()");
  expect(await verdict(server.client, bucket, key)).toBe("valid");
  const { key: newKey } = (await server.client.post(keys, {})).body;
  expect(await verdict(server.client, bucket, newKey)).toBe("valid");
  expect((await server.client.delete(`${keys}/${id}`)).status).toBe(204);
  expect(await verdict(server.client, bucket, key)).toBe("not_found");
  await using primary = new SQL(replicated.url, { max: 1 });
  const stored = async () => {
    const [row] = await primary.unsafe(
      "SELECT sum(amount)::int AS sum FROM verifications WHERE detail = 0 AND step = 60000",
    );
    return row.sum as number;
  };
  await until(async () => (await stored()) > 1, { what: "the counts on the primary" });
  // Fails only if the replica was already given up, which takes ten seconds.
  if ((await status()).isUsed) expect(await counted()).toBe(1);

  await isUsed(false);
  expect((await status()).error).toBe("more than 10 s behind");
  expect(await metric("tollgate_replica_used")).toBe(0);
  expect(await counted()).toBeGreaterThan(1);
  await standby.unsafe("SELECT pg_wal_replay_resume()");
  await isUsed(true);
  const total = await counted();

  await standby.close();
  await replicated.stopStandby();
  expect(await counted()).toBe(total);
  await isUsed(false);
  expect(server.output.join("\n")).toContain("the replica is not used");
  await replicated.startStandby();
  await isUsed(true);
  expect(await counted()).toBe(total);
});
