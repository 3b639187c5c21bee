import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { billed, monthly, moveTo, setProfile } from "./support/billing.ts";
import { postgres } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { record, type Subscribed, subscribed, usageEvent } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { startReplicatedPostgres } from "./support/replicated-postgres.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { account, operatorToken } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

let replicated: Awaited<ReturnType<typeof startReplicatedPostgres>>;
let server: TestServer;
let primary: SQL;
let standby: SQL;
let folder: TemporaryFolder;
let deployed: Deployed;
let made: Subscribed;

beforeAll(async () => {
  replicated = await startReplicatedPostgres();
  folder = await temporaryFolder("replica");
  primary = new SQL(replicated.url, { max: 1 });
  standby = new SQL(replicated.standbyUrl, { max: 1 });
  await primary.unsafe("CREATE ROLE reader SUPERUSER LOGIN; ALTER ROLE reader SET search_path = marked, public");
  const replicaUrl = new URL(replicated.standbyUrl);
  replicaUrl.username = "reader";
  server = await startServer(postgres, {
    database: { environment: { DATABASE_URL: replicated.url }, drop: async () => {} },
    environment: { TOLLGATE_DATABASE_REPLICA_URL: replicaUrl.href, TOLLGATE_EXPORT_DIR: folder.path },
  });
  await markRowsOfReplica();
  made = await subscribed(server.client, { meters: { requests: { max: 1_000_000 } } });
  deployed = await deploy(
    server,
    { project: "replica", branch: "main" },
    { "openapi.json": openApi({ "/": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) },
  );
});

afterAll(async () => {
  await server.stop();
  await primary.close();
  await standby.close();
  await replicated.remove();
  await folder.remove();
  failIfAnythingRuns();
});

/**
 * What the server reads as `reader`, which is only from the replica, says so: the source of events, the request id of
 * requests, and invoices, which have no lines. From the event on whose number is in `marked.broken`, such a read fails.
 */
async function markRowsOfReplica(): Promise<void> {
  await primary.unsafe(`
    CREATE SCHEMA marked;
    CREATE TABLE marked.broken (seq bigint);
    CREATE FUNCTION marked.source_of(event bigint) RETURNS text LANGUAGE plpgsql STABLE COST 1000 AS $$ BEGIN
      IF event >= (SELECT min(seq) FROM marked.broken) THEN RAISE 'conflict with recovery'; END IF;
      RETURN 'replica';
    END $$`);
  for (const [table, column, value] of [
    ["usage_events", "source", "marked.source_of(seq)"],
    ["requests", "request_id", "'replica'::text"],
    ["invoices", "lines", "'[]'::text"],
  ] as const) {
    const columns = await primary.unsafe(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${table}'`,
    );
    const selected = columns.map(({ name }: { name: string }) => (name === column ? `${value} AS ${name}` : name));
    await primary.unsafe(`CREATE VIEW marked.${table} AS SELECT ${selected.join(", ")} FROM public.${table}`);
  }
}

/** Until the replica has what was written before. */
async function replayed(): Promise<void> {
  const [{ position }] = await primary.unsafe("SELECT pg_current_wal_lsn()::text AS position");
  await until(async () => (await standby.unsafe(`SELECT pg_last_wal_replay_lsn() >= '${position}' AS done`))[0].done, {
    what: "the replay",
  });
}

/** Calls the deployment, and waits until the request is stored. */
async function call(path: string): Promise<void> {
  expect((await deployed.call(path)).status).toBe(404);
  const stored = () => primary.unsafe(`SELECT 1 FROM requests WHERE path = '${path}'`);
  await until(async () => (await stored()).length === 1, { what: `the request to ${path}` });
}

/** The requests of the log, newest first, and whether the replica served it. */
async function requestLog() {
  const { body } = await server.client.get(`/v1/deployments/${deployed.name}/requests`);
  const requests: { path: string; requestId: string }[] = body.data;
  return {
    paths: requests.map(({ path }) => path),
    isOfReplica: requests.map(({ requestId }) => requestId === "replica").filter(isFirst),
  };
}
const isFirst = <Value>(value: Value, index: number, values: Value[]) => values.indexOf(value) === index;

const send = (ids: string[]) =>
  record(
    server.client,
    made.bucket,
    ids.map((id) => usageEvent({ requests: 1 }, { source: "primary", id })),
  );

/** Closes the hour and exports it. Returns the ids of its events, with the number of events that each database served. */
async function exportHour() {
  const start = server.clock.iso();
  server.clock.advance(62 * 60_000);
  await server.runTasks();
  const { lastError, lastHour } = (await server.client.get(`/v1/accounts/${account}/exports/all`)).body;
  expect({ lastError, lastHour }).toEqual({ lastError: undefined, lastHour: start });
  server.clock.advance(58 * 60_000);
  const name = `events/date=${start.slice(0, 10)}/hour=${start.slice(11, 13)}/${account}.all.ndjson`;
  const lines = (await Bun.file(`${folder.path}/${account}/all/${name}`).text()).trim().split("\n");
  const rows: { id: string; source: string }[] = lines.map((line) => JSON.parse(line));
  const servedBy = (source: string) => rows.filter((row) => row.source === source).length;
  return { ids: rows.map(({ id }) => id), replica: servedBy("replica"), primary: servedBy("primary") };
}

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

test("a current replica serves analytics, the request log and exports; one that is behind or away does not, and its return is noticed", async () => {
  const { bucket, keys } = await newKeyHolder(server.client);
  const { id, key } = (await server.client.post(keys, {})).body;
  await isUsed(true);
  expect((await status()).lagMs).toBeLessThan(10_000);
  expect(await metric("tollgate_replica_used")).toBe(1);
  expect(await metric("tollgate_replica_lag_seconds")).toBeLessThan(10);
  expect(await verdict(server.client, bucket, key)).toBe("valid");
  await until(async () => (await counted()) === 1, { what: "the first count on the replica" });
  const to = { url: `file:${folder.path}/${account}/all` };
  const created = await server.client.post(`/v1/accounts/${account}/exports`, {
    ...{ name: "all", to, kinds: ["events"], format: "ndjson" },
  });
  expect(created.status).toBe(200);
  await send(["current"]);
  await call("/current");
  await replayed();
  expect(await requestLog()).toEqual({ paths: ["/current"], isOfReplica: [true] });
  expect(await exportHour()).toEqual({ ids: ["current"], replica: 1, primary: 0 });

  // Amid an hour, reads of the replica begin to fail: the primary continues with the next page.
  await send(["first"]);
  const [{ seq }] = await primary.unsafe("SELECT seq FROM usage_events WHERE event_id = 'first'");
  const more = 6_000;
  const columns =
    "bucket_seq, source, part, subscription_seq, time, period_start, received_on, meter, whole, billionths";
  await primary.unsafe(
    `INSERT INTO usage_events (seq, event_id, ${columns}) SELECT seq + n, 'more-' || n, ${columns}
      FROM usage_events, generate_series(1, ${more}) AS n WHERE event_id = 'first'`,
  );
  const fallbacks = await metric("tollgate_replica_fallbacks_total");
  await primary.unsafe(`INSERT INTO marked.broken VALUES (${seq} + 5500)`);
  await replayed();
  const { ids, ...servedBy } = await exportHour();
  expect(ids).toEqual(["first", ...Array.from({ length: more }, (_, index) => `more-${index + 1}`)]);
  expect(servedBy.replica).toBeWithin(1, 5_001);
  expect(servedBy.primary).toBe(more + 1 - servedBy.replica);
  expect(await metric("tollgate_replica_fallbacks_total")).toBeGreaterThan(fallbacks);
  // Their numbers are those of later events.
  await primary.unsafe("DELETE FROM usage_events WHERE event_id LIKE 'more-%'; DELETE FROM marked.broken");
  await replayed();

  // From now on the replica is as it was. Keys are read from the primary, and so is what the caller has written.
  await standby.unsafe("SELECT pg_wal_replay_pause()");
  expect(await verdict(server.client, bucket, key)).toBe("valid");
  const { key: newKey } = (await server.client.post(keys, {})).body;
  expect(await verdict(server.client, bucket, newKey)).toBe("valid");
  expect((await server.client.delete(`${keys}/${id}`)).status).toBe(204);
  expect(await verdict(server.client, bucket, key)).toBe("not_found");
  const stored = async () => {
    const [row] = await primary.unsafe(
      "SELECT sum(amount)::int AS sum FROM verifications WHERE detail = 0 AND step = 60000",
    );
    return row.sum as number;
  };
  await until(async () => (await stored()) > 1, { what: "the counts on the primary" });
  // Fails only if the replica was already given up, which takes ten seconds.
  if ((await status()).isUsed) expect(await counted()).toBe(1);
  await send(["behind"]);
  await call("/behind");

  await isUsed(false);
  expect((await status()).error).toBe("more than 10 s behind");
  expect(await metric("tollgate_replica_used")).toBe(0);
  expect(await counted()).toBeGreaterThan(1);
  expect(await requestLog()).toEqual({ paths: ["/behind", "/current"], isOfReplica: [false] });
  expect(await exportHour()).toEqual({ ids: ["behind"], replica: 0, primary: 1 });
  await standby.unsafe("SELECT pg_wal_replay_resume()");
  await isUsed(true);
  const total = await counted();

  await send(["away"]);
  await call("/away");
  await standby.close();
  await replicated.stopStandby();
  expect(await counted()).toBe(total);
  expect(await requestLog()).toEqual({ paths: ["/away", "/behind", "/current"], isOfReplica: [false] });
  expect(await exportHour()).toEqual({ ids: ["away"], replica: 0, primary: 1 });
  await isUsed(false);
  await eventually(() => server.log).toContain("the replica is not used");
  await replicated.startStandby();
  standby = new SQL(replicated.standbyUrl, { max: 1 });
  await isUsed(true);
  expect(await counted()).toBe(total);
  await send(["back"]);
  await replayed();
  expect(await requestLog()).toEqual({ paths: ["/away", "/behind", "/current"], isOfReplica: [true] });
  expect(await exportHour()).toEqual({ ids: ["back"], replica: 1, primary: 0 });
});

test("a simulation reads from a current replica, and otherwise from the primary", async () => {
  const { client } = server;
  await setProfile(client);
  const meters = { requests: { max: 100 } };
  const { bucket, plan } = await billed(client, "2031-01-01T00:00:00.000Z", { ...monthly("10.00"), meters });
  await moveTo(client, bucket, "2031-02-05T00:00:00.000Z");
  await replayed();
  const simulated = async () => {
    const span = { from: "2031-01-01T00:00:00.000Z", to: "2031-02-02T00:00:00.000Z" };
    const plans = { [plan.planExternalId]: monthly("12.00") };
    const { id } = (await client.post(`${bucket}/$simulate`, { ...span, plans })).body;
    const state = async () => (await client.get(`${bucket}/simulations/${id}`)).body.state;
    await until(async () => (await state()) === "succeeded", { what: "the simulation" });
    return (await client.get(`${bucket}/simulations/${id}/customers`)).body.data;
  };
  const sums = { customerKey: "acme", currency: "EUR", before: "10.00", after: "12.00", difference: "2.00" };
  const row = { ...sums, precision: "exact" };
  expect(await simulated()).toEqual([{ ...row, differs: { invoiced: "0.00", computed: "10.00" } }]);
  await standby.close();
  await replicated.stopStandby();
  await isUsed(false);
  expect(await simulated()).toEqual([row]);
  await replicated.startStandby();
  standby = new SQL(replicated.standbyUrl, { max: 1 });
});
