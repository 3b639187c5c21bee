import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { newBucketPath } from "./support/bucket-path.ts";
import { childrenOf, isRunning } from "./support/child-processes.ts";
import { type Database, sqlite } from "./support/engines.ts";
import { adminToken, serverEnvironment } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { tableContent } from "./support/table-content.ts";
import { runTollgate } from "./support/tollgate-process.ts";
import { until } from "./support/until.ts";

const workers = 2;
const environment = { TOLLGATE_WORKERS: String(workers) };

describe("a supervisor with two workers", () => {
  let database: Database;
  let server: SpawnedServer;
  let bucket: string;
  const child = (word: string) => childrenOf(server.processId, word);

  beforeAll(async () => {
    database = await sqlite.freshDatabase();
    server = await spawnServer(sqlite, { database, environment });
    bucket = newBucketPath();
    await until(() => child("worker-process").length === workers);
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  async function newKey(rules: object = {}): Promise<string> {
    const name = `consumer-${crypto.randomUUID().slice(0, 8)}`;
    expect((await server.client.post(`${bucket}/consumers`, { name })).status).toBe(200);
    const { body } = await server.client.post(`${bucket}/consumers/${name}/keys?key-format=visible`, rules);
    return body.key;
  }

  /** On a connection of its own: one to a process that was killed cannot be used again. */
  const verify = async (key: string) => {
    const response = await fetch(`${server.url}${bucket}/verify-key`, {
      method: "POST",
      keepalive: false,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ key }),
    });
    return ((await response.json()) as { valid: boolean }).valid;
  };

  test("a second server at the same port does not start", async () => {
    const other = await sqlite.freshDatabase();
    const { TOLLGATE_DATA_DIR: folder } = other.environment;
    const { port } = new URL(server.url);
    const { status, stderr } = await runTollgate(
      ["serve"],
      serverEnvironment(other, folder!, { ...environment, TOLLGATE_PORT: port }),
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use by another program`);
    await other.drop();
  });

  test("a primary that cannot start says why, and nothing is left running", async () => {
    const { TOLLGATE_DATA_DIR: folder } = database.environment;
    const { status, stderr } = await runTollgate(["serve"], serverEnvironment(database, folder!, environment));
    expect(status).toBe(1);
    expect(stderr).toContain("is in use by another Tollgate server");
  });

  test("a killed worker is replaced, and the others serve meanwhile", async () => {
    const key = await newKey();
    const [killed] = child("worker-process");
    process.kill(killed!, "SIGKILL");
    // Its connections are lost, so the next request begins when it has ended.
    await until(() => !isRunning(killed!));
    expect(await verify(key)).toBe(true);
    await until(() => child("worker-process").length === workers && !child("worker-process").includes(killed!));
    for (let index = 0; index < 8; index++) expect(await verify(key)).toBe(true);
  });

  test("a killed primary is replaced: requests wait, acknowledged writes remain, limits hold", async () => {
    const key = await newKey({ rateLimit: { requests: 10, windowSeconds: 3600 } });
    for (let index = 0; index < 4; index++) expect(await verify(key)).toBe(true);
    // Rate limits are written every second; a kill loses what is not.
    await until(async () => (await tableContent(database, "rate_limits")).some(({ used }) => used === 4));
    const [killed] = child("primary-process");
    process.kill(killed!, "SIGKILL");
    const results = await Promise.all(Array.from({ length: 20 }, () => verify(key)));
    expect(results.filter(Boolean)).toHaveLength(6);
    expect(child("primary-process")).not.toContain(killed!);
    expect((await server.client.get(`${bucket}/consumers`)).status).toBe(200);
  });

  test("sandboxes and other programs do not inherit the sockets", async () => {
    const builders = child("primary-process").flatMap((pid) => childrenOf(pid, ""));
    const descriptors = builders.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)),
    );
    expect(descriptors.filter((target) => target.startsWith("socket:"))).toEqual([]);
  });

  test("SIGTERM finishes requests in progress and ends all processes", async () => {
    const pids = [...child("worker-process"), ...child("primary-process")];
    expect(pids).toHaveLength(workers + 1);
    expect(await server.kill("SIGTERM")).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test("after SIGKILL of the supervisor, its processes end by themselves", async () => {
    const other = await spawnServer(sqlite, { environment });
    const pids = [
      ...(await until(() => {
        const found = childrenOf(other.processId, "worker-process");
        return found.length === workers ? found : undefined;
      })),
      ...childrenOf(other.processId, "primary-process"),
    ];
    await other.kill("SIGKILL");
    await until(() => !pids.some(isRunning));
    await other.stop();
  });
});
