import { expect } from "bun:test";
import { type Engine, engines } from "../../test/support/engines.ts";
import { record, subscribed, usageEvent } from "../../test/support/metering.ts";
import { runSql } from "../../test/support/run-sql.ts";
import { account } from "../../test/support/server-settings.ts";
import { patiently } from "../../test/support/slowdown.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { expectStatus } from "../expect-status.ts";
import type { Part, Torture } from "../part.ts";
import { KillingStorage } from "./killing-storage.ts";

const path = `/v1/accounts/${account}/exports`;
const hour = 3_600_000;
const hours = 12;
const eventCount = 600;
const environment = { TOLLGATE_EGRESS: "any" };

/** `kill -9` amid the objects of hourly exports, with two nodes on PostgreSQL: each row is exported once, and each manifest is true. */
export const exports: Part = async (torture) => {
  await Promise.all(engines.map((engine) => killAmidExports(engine, torture)));
};

async function killAmidExports(engine: Engine, { random, effort, report }: Torture): Promise<void> {
  const branch = random.branch(`exports ${engine.name}`);
  const database = await engine.migratedDatabase();
  const storage = new KillingStorage(branch);
  const start = () => spawnServer(engine, { database, environment });
  const startAll = () => Promise.all(Array.from({ length: engine.name === "postgres" ? 2 : 1 }, start));
  let nodes = await startAll();

  const ids = Array.from({ length: eventCount }, (_, each) => `event-${each}`);
  const { bucket } = await subscribed(nodes[0]!.client, { meters: { requests: { max: 1_000_000 } } });
  const events = ids.map((id) => usageEvent({ requests: 1 }, { source: "exports", id }));
  expect((await record(nodes[0]!.client, bucket, events)).accepted).toBe(eventCount);
  // They become events of the last closed hours, in the order in which they were stored.
  const now = Date.now();
  const first = now - (now % hour) - hours * hour;
  const step = Math.floor((hours * hour) / eventCount);
  await runSql(
    database,
    `UPDATE usage_events SET received_on = ${first} + (seq - (SELECT min(seq) FROM usage_events)) * ${step}`,
  );
  // Two minutes after its end the last one is closed.
  const closed = (now % hour) / 60_000 < 2 ? hours - 1 : hours;
  const to = {
    url: "s3://warehouse/torture",
    endpoint: storage.url,
    credential: { accessKeyId: "any", secretAccessKey: "any-secret" },
  };
  const input = { name: "lake", to, kinds: ["events", "audit"], format: "ndjson", from: new Date(first).toISOString() };
  const planned = { kills: 0 };
  const blow = async () => {
    planned.kills += 1;
    await Promise.all(nodes.map((node) => node.kill("SIGKILL")));
  };
  let fallen = storage.plan(blow);
  expectStatus(await nodes[0]!.client.post(path, input), [200]);
  for (let round = 1; round <= effort.exportKills; round++) {
    await fallen;
    await Promise.all(nodes.map((node) => node.stop()));
    // A dead node keeps its lease for minutes: the torture does not wait for that.
    await runSql(database, "UPDATE exports SET leased_until = 0, attempt_on = NULL");
    if (round < effort.exportKills) fallen = storage.plan(blow);
    nodes = await startAll();
  }
  await until(() => isComplete(nodes[0]!, first + (closed - 1) * hour), {
    withinMs: patiently(60_000),
    what: "all hours to be exported",
  });
  await Promise.all(nodes.map((node) => node.stop()));
  verify(storage, ids.slice(0, Math.ceil((closed * hour) / step)), closed);
  await storage.stop();
  await database.drop();
  report(
    `${engine.name}: ${planned.kills} kills amid ${closed} hours, ${storage.puts} writes of ${storage.objects.size} objects`,
  );
}

async function isComplete(node: SpawnedServer, lastHour: number): Promise<boolean> {
  const { body } = await node.client.get(`${path}/lake`);
  return body.lastHour !== null && Date.parse(body.lastHour) >= lastHour;
}

/** Every object of every hour is there, as its manifest says, and has each event once. */
function verify({ objects, changed }: KillingStorage, ids: string[], closed: number): void {
  const manifests = [...objects].filter(([name]) => name.includes("/manifests/"));
  expect(manifests.length).toBeGreaterThanOrEqual(closed);
  const seen: string[] = [];
  for (const [name, content] of manifests) {
    const manifest = JSON.parse(content.toString());
    expect(manifest.objects).toHaveLength(2);
    for (const { kind, path: object, rows, sha256 } of manifest.objects) {
      const bytes = objects.get(`/warehouse/torture/${object}`);
      expect(`${name} ${new Bun.CryptoHasher("sha256").update(bytes!).digest("hex")}`).toBe(`${name} ${sha256}`);
      const lines = bytes!.toString().split("\n").filter(Boolean);
      expect(lines).toHaveLength(rows);
      if (kind === "events") seen.push(...lines.map((line) => JSON.parse(line).id));
    }
  }
  expect(seen.toSorted()).toEqual(ids.toSorted());
  // Written again after a kill, an object of rows that do not change has the same bytes.
  expect(changed.filter((name) => name.includes("/events/"))).toEqual([]);
  expect(objects.size).toBe(manifests.length * 3);
}
