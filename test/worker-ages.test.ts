import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { childrenOf } from "./support/child-processes.ts";
import { type Database, postgres as engine } from "./support/engines.ts";
import { type KeyHolder, newKeyHolder, verdict, verify } from "./support/key-holder.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

/** The difference between the ages of primary and worker. Times that were relative to a process would differ by it. */
const ageMilliseconds = 5_000;

let database: Database;
let node: SpawnedServer;
let other: SpawnedServer;
let holder: KeyHolder;

const child = (word: string) => childrenOf(node.processId, word);
const only = (word: string) => until(() => child(word)[0], { what: word });
const isOld = (pid: number) => Date.now() - statSync(`/proc/${pid}`).ctimeMs > ageMilliseconds;

/** Kills the process, and returns the one that replaces it. */
async function replace(word: string): Promise<number> {
  const killed = await only(word);
  process.kill(killed, "SIGKILL");
  return until(() => child(word).find((pid) => pid !== killed), { what: `another ${word}` });
}

async function newKey(): Promise<{ id: string; key: string }> {
  return (await other.client.post(`${holder.keys}/$bulk`, [{}])).body.data[0];
}

beforeAll(async () => {
  database = await engine.migratedDatabase();
  node = await spawnServer(engine, { database, environment: { TOLLGATE_WORKERS: "1" } });
  other = await spawnServer(engine, { database });
  holder = await newKeyHolder(other.client);
});

afterAll(async () => {
  await node.stop();
  await other.stop();
  await database.drop();
});

/** Connections to a killed process cannot be used again. */
const verifyHere = async (key: string) => verdict(node.client, holder.bucket, key).catch(() => "no response");

test("a worker younger than the primary stops trusting its caches when the primary stops", async () => {
  const primary = await only("primary-process");
  await until(() => isOld(primary), { what: "the primary to be older than its next worker" });
  await replace("worker-process");
  const { id, key } = await newKey();
  await until(async () => (await verifyHere(key)) === "valid");
  process.kill(primary, "SIGSTOP");
  try {
    expect((await other.client.delete(`${holder.keys}/${id}`)).status).toBe(204);
    // The documented time is a second; the wrong clock would trust the cache for `ageMilliseconds` more.
    await until(async () => (await verifyHere(key)) === "not_found", { withinMs: 3_000 });
  } finally {
    process.kill(primary, "SIGCONT");
  }
});

test("a worker older than the primary trusts its caches again", async () => {
  const worker = await only("worker-process");
  await until(() => isOld(worker), { what: "the worker to be older than its next primary" });
  const { key } = await newKey();
  await replace("primary-process");
  await until(async () => (await verifyHere(key)) === "valid");
  const hits = async () => {
    const text = await (await fetch(`${node.url}/metrics`)).text();
    return Number(/^tollgate_cache_hits_total\{cache="keys"\} (\d+)$/m.exec(text)?.[1]);
  };
  const rounds = 20;
  await until(async () => {
    const before = await hits();
    for (let round = 0; round < rounds; round++) await verify(node.client, holder.bucket, key);
    return (await hits()) - before === rounds;
  });
  expect(child("worker-process")).toEqual([worker]);
});
