import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { copyFile, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Database, postgres } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { type KeyHolder, newKeyHolder, verdict } from "./support/key-holder.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { type Subscribed, subscribed, usedOf } from "./support/metering.ts";
import { PostgresProxy } from "./support/postgres-proxy.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const staleSeconds = 100;

let database: Database;
let proxy: PostgresProxy;
let upstream: ReturnType<typeof Bun.serve>;
let copies: TemporaryFolder;
let server: TestServer;
let holder: KeyHolder;
let made: Subscribed;
let deployed: Deployed;
/** `used` was used, `revoked` too and was deleted then, and `unused` was not. */
let keys: Record<"used" | "revoked" | "unused", { id: string; key: string }>;

afterAll(failIfAnythingRuns);

describe.each([{ workers: 0 }, { workers: 1 }])("a node with $workers workers", ({ workers }) => {
  beforeEach(async () => {
    database = await postgres.migratedDatabase();
    proxy = await PostgresProxy.start(database.environment.DATABASE_URL!);
    upstream = Bun.serve({ port: 0, fetch: () => new Response("served") });
    copies = await temporaryFolder("copies");
    server = await startServer(postgres, {
      workers,
      database: { environment: { ...database.environment, DATABASE_URL: proxy.url }, drop: async () => {} },
      environment: { TOLLGATE_COPY_DIR: copies.path, TOLLGATE_STALE_SECONDS: String(staleSeconds) },
    });
    const { client } = server;
    holder = await newKeyHolder(client);
    const newKey = async () => (await client.post(holder.keys, {})).body;
    keys = { used: await newKey(), revoked: await newKey(), unused: await newKey() };
    made = await subscribed(client, { meters: { requests: { max: 100 } } });
    deployed = await deploy(
      server,
      { project: "shop", branch: "main" },
      {
        "openapi.json": openApi({
          "/a": { "x-tollgate": { policies: ["key", "quota"] } },
          "/code": { "x-tollgate": { policies: ["key"], handler: "modules/greet.ts" } },
        }),
        "modules/greet.ts": `export default () => new Response("greeted");`,
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: {
            key: { type: "api-key", options: { bucket: holder.bucket.split("/").at(-1) } },
            quota: { type: "quota", options: { bucketId: made.bucket.split("/").at(-1), meters: { requests: 1 } } },
          },
        },
      },
    );
    for (const key of [keys.used, keys.revoked]) expect(await call(key.key)).toBe(200);
    // A copy has the keys whose use is stored.
    await server.catchUp();
    const storedOn = Date.now();
    const copiedOn = () => statSync(join(copies.path, "storage.copy"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // After a copy that took long, the next one is made later.
    const isCopied = async () => {
      await server.runTasks();
      return copiedOn() > storedOn;
    };
    await until(isCopied, { withinMs: 60_000, what: "a copy" });
    await eventually(used).toBe(2);
  });

  afterEach(async () => {
    await server.stop();
    await proxy.stop();
    await database.drop();
    await copies.remove();
    await upstream.stop(true);
  });

  test("serves what it knew, counts it once, and rejects what was revoked", async () => {
    await server.halt();
    await goAway();
    await server.start();
    const feed = async () => ((await (await fetch(`${server.url}/readyz`)).json()) as { feed: string }).feed;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await eventually(feed).toBe("copied");
    expect((await fetch(`${server.url}/storagez`)).status).toBe(503);
    await eventually(() => server.log).toContain("is served from its copy of");
    server.clock.advance(5000);
    const age = async () =>
      Number(/^tollgate_copy_age_seconds (\S+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1]);
    expect(await age()).toBeLessThan(staleSeconds);
    for (let each = 0; each < 5; each++) expect(await call(keys.used.key)).toBe(200);
    const headers = { authorization: `Bearer ${keys.used.key}` };
    expect(await (await deployed.call("/code", { headers })).text()).toBe("greeted");
    expect(await verdict(server.client, holder.bucket, keys.used.key)).toBe("valid");
    // A key that the copy lacks may be valid.
    expect(await call(keys.unused.key)).toBe(503);
    expect((await server.client.get(holder.keys)).status).toBe(503);
    expect((await server.client.post(holder.keys, {})).status).toBe(503);
    await server.halt();
    await eventually(() => server.log).toContain("usage is kept on disk");
    const [saved] = (await readdir(copies.path)).filter((name) => name.startsWith("usage-"));
    await copyFile(join(copies.path, saved!), join(copies.path, "saved"));
    await server.start();
    for (let each = 0; each < 2; each++) expect(await call(keys.used.key)).toBe(200);
    proxy.leadTo(database.environment.DATABASE_URL!);
    await eventually(feed).toBe("fresh");
    await eventually(async () => (await fetch(`${server.url}/storagez`)).status).toBe(200);
    expect(await call(keys.unused.key)).toBe(200);
    // A worker reports what it counted between two writes of the primary.
    await eventually(writtenUse).toBe(10);
    // A process that is killed after it has written the usage leaves its file.
    await server.halt();
    await rename(join(copies.path, "saved"), join(copies.path, saved!));
    await server.start();
    await server.runTasks();
    await eventually(() => existsSync(join(copies.path, saved!))).toBe(false);
    expect(await used()).toBe(10);
    expect((await server.client.post(holder.keys, {})).status).toBe(200);
  });

  test("rejects a key that was revoked after the last copy", async () => {
    expect((await server.client.delete(`${holder.keys}/${keys.revoked.id}`)).status).toBe(204);
    // Revokes nothing.
    expect((await server.client.patch(holder.path, { description: "changed" })).status).toBe(200);
    // Not through the end of the node, which makes another copy.
    await goAway();
    await server.halt();
    await server.start();
    expect(await call(keys.used.key)).toBe(200);
    expect(await call(keys.revoked.key)).toBe(503);
  });
});

function call(key: string): Promise<number> {
  return deployed.call("/a", { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);
}

async function used(): Promise<number> {
  return (await usedOf(server.client, made.path)).requests!;
}

/** What is counted in storage, once this process has written what it knows. */
async function writtenUse(): Promise<number> {
  await server.runTasks();
  return used();
}

/** PostgreSQL rejects connections. */
async function goAway(): Promise<void> {
  proxy.leadTo(`postgres://127.0.0.1:${await freePort()}${new URL(proxy.url).pathname}`);
  proxy.cut();
}
