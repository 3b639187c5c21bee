import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "./support/client.ts";
import { postgres as engine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { type KeyHolder, newKeyHolder, verdict, verify } from "./support/key-holder.ts";
import { account, operatorToken } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { StoppablePostgres } from "./support/stoppable-postgres.ts";
import { until } from "./support/until.ts";

const staleSeconds = 3;
const sharedValue = "a-key-of-my-own-making";
const neverMade = "tg_0123456789abcdef0123456789abcdef_7759b50e";

describe("while PostgreSQL is unavailable", () => {
  let postgres: StoppablePostgres;
  let node: SpawnedServer;
  let other: SpawnedServer;
  let third: SpawnedServer;
  let client: Client;
  let reader: Client;
  let holder: KeyHolder;
  let secondHolder: KeyHolder;
  let known: { id: string; key: string };
  let unused: { id: string; key: string };
  /** Keys that were changed just before, by what was. */
  const changed = new Map<string, string>();

  const spawn = (seconds: number) =>
    spawnServer(engine, {
      database: { environment: { DATABASE_URL: postgres.url }, drop: async () => {} },
      environment: { TOLLGATE_STALE_SECONDS: String(seconds) },
    });

  beforeAll(async () => {
    postgres = await StoppablePostgres.create();
    node = await spawn(300);
    other = await spawn(staleSeconds);
    third = await spawn(300);
    client = node.client;
    holder = await newKeyHolder(client, { metadata: { plan: "gold" } });
    [known, unused] = (await client.post(`${holder.keys}/$bulk`, [{}, {}])).body.data;
    secondHolder = await newKeyHolder(client, { name: "second" });
    for (const { bucket, keys } of [holder, secondHolder]) {
      await client.post(keys, { key: sharedValue });
      expect(await verdict(client, bucket, sharedValue)).toBe("valid");
    }
    const token = await client.post(`/v1/accounts/${account}/tokens`, { role: "verifier" });
    reader = client.as(token.body.token);
    for (const server of [node, other]) {
      expect(await verdict(server.client, holder.bucket, known.key)).toBe("valid");
      expect((await server.client.get(`${holder.keys}?limit=1`)).status).toBe(200);
    }
    expect(await verdict(reader, holder.bucket, known.key)).toBe("valid");
    for (const change of ["permissions", "metadata", "suspension"]) {
      const { path, keys } = await newKeyHolder(client, { bucket: holder.bucket, name: change });
      const { id, key } = (await client.post(keys, {})).body;
      changed.set(change, key);
      expect(await verdict(client, holder.bucket, key)).toBe("valid");
      // The first one is read again until storage is away.
      if (change === "permissions") await client.patch(`${keys}/${id}`, { permissions: ["read"] });
      else await client.patch(path, change === "metadata" ? { metadata: { is: "new" } } : { isSuspended: true });
    }
    await postgres.stop();
  });

  afterAll(async () => {
    for (const server of [node, other, third]) await server.stop();
    await postgres.remove();
  });

  const system = (server: SpawnedServer, path: string) => fetch(`${server.url}${path}`);

  test("recently used keys and tokens keep working", async () => {
    for (let round = 0; round < 20; round++) {
      expect((await verify(client, holder.bucket, known.key)).body).toMatchObject({
        valid: true,
        keyId: known.id,
        user: { sub: "acme", data: { plan: "gold" } },
      });
      expect(await verdict(reader, holder.bucket, known.key)).toBe("valid");
      expect((await client.get("/v1/who-am-i")).body).toMatchObject({ role: "admin" });
    }
  });

  test("so do those that were changed just before, unless that may have revoked them", async () => {
    const permitted = await client.post(`${holder.bucket}/verify-key`, {
      key: changed.get("permissions"),
      permission: "write",
    });
    expect(permitted.body).toMatchObject({ valid: false, code: "permission_missing" });
    expect(await verdict(client, holder.bucket, changed.get("metadata")!)).toBe("valid");
    expectProblem(await verify(client, holder.bucket, changed.get("suspension")!), 503, "storage_unavailable");
  });

  test("a value that is a key of two buckets keeps working in both", async () => {
    for (const [{ bucket }, sub] of [
      [holder, "acme"],
      [secondHolder, "second"],
    ] as const)
      expect((await verify(client, bucket, sharedValue)).body).toMatchObject({ valid: true, user: { sub } });
  });

  test("an invalid key format is rejected without storage", async () => {
    expect(await verdict(client, holder.bucket, "tg_0123456789abcdef0123456789abcdef_00000000")).toBe("malformed");
  });

  describe("503 with Retry-After, and nothing else:", () => {
    const bucketOf = () => holder.bucket;
    const rejected: Record<string, () => ReturnType<Client["get"]>> = {
      "a key that was not used before": () => verify(client, bucketOf(), unused.key),
      "a key that nobody made": () => verify(client, bucketOf(), neverMade),
      "a known key in a bucket that was not used before": () => verify(client, `${bucketOf()}-other`, known.key),
      "a token that was not used before": () => client.as("a-token-nobody-has-seen").get("/v1/who-am-i"),
      "the operator in an account": () => client.as(operatorToken).get(`/v1/accounts/${account}`),
      "a list": () => client.get(holder.keys),
      "a read": () => client.get(`${holder.keys}/${known.id}`),
      "a create": () => client.post(holder.keys, {}),
      "a create with an Idempotency-Key": () => client.post(holder.keys, {}, { "idempotency-key": "away" }),
      "a bulk": () => client.post(`${holder.keys}/$bulk`, [{}, {}]),
      "an update": () => client.patch(`${holder.keys}/${known.id}`, { description: "x" }),
      "a delete": () => client.delete(`${holder.keys}/${known.id}`),
      "a roll": () => client.post(`${holder.path}/roll-key`, { expiresOn: "2000-01-01T00:00:00Z" }),
      "a new consumer": () => client.post(`${bucketOf()}/consumers`, { name: "while-away" }),
    };
    test.each(Object.entries(rejected))("%s", async (_name, send) => {
      // Once over broken connections, and then without any.
      for (let round = 0; round < 3; round++) {
        const response = await send();
        expectProblem(response, 503, "storage_unavailable");
        expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        expect(response.text).not.toMatch(/ECONN|postgres|connect/i);
      }
    });
  });

  test("each of many concurrent requests gets the same status as alone", async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? verify(client, holder.bucket, known.key) : client.post(holder.keys, {}),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 200 : 503)),
    );
  });

  test("health checks pass, and /storagez reports that storage is unavailable", async () => {
    const storage = await until(async () => {
      const response = await system(node, "/storagez");
      return response.status === 503 ? response : undefined;
    });
    expect(storage.headers.get("retry-after")).toBe("1");
    for (const path of ["/healthz", "/readyz"]) expect((await system(node, path)).status).toBe(200);
    expect((await system(node, "/metrics")).status).toBe(200);
    expect((await system(node, "/openapi.json")).status).toBe(200);
  });

  test("the outage is logged once, not with every retry", () => {
    expect(node.log.filter((line) => String(line.msg).startsWith("storage is unavailable"))).toHaveLength(1);
  });

  test("a server can be stopped during the outage", async () => {
    // A server that waits for storage exits with 1 after 25 s.
    expect(await third.kill("SIGTERM")).toBe(0);
    expect(third.log.at(-1)).toMatchObject({ msg: "stopped" });
  });

  test("after the configured time, known keys and tokens are rejected with 503 too", async () => {
    const verifyKnown = () => verify(other.client, holder.bucket, known.key);
    await until(async () => (await verifyKnown()).status === 503, { withinMs: (staleSeconds + 3) * 1000 });
    for (let round = 0; round < 5; round++) {
      expectProblem(await verifyKnown(), 503, "storage_unavailable");
      expectProblem(await other.client.get("/v1/who-am-i"), 503, "storage_unavailable");
    }
    // The node with a longer limit still accepts them.
    expect(await verdict(client, holder.bucket, known.key)).toBe("valid");
  });

  describe("when it is available again", () => {
    beforeAll(() => postgres.start(), 30_000);

    test("everything recovers automatically", async () => {
      for (const server of [node, other]) {
        await until(async () => (await system(server, "/storagez")).status === 200);
        await until(async () => (await server.client.post(holder.keys, {})).status === 200);
        for (const { key } of [known, unused]) expect(await verdict(server.client, holder.bucket, key)).toBe("valid");
        expect(await verdict(server.client, holder.bucket, neverMade)).toBe("not_found");
      }
      await until(() => node.log.some((line) => line.msg === "storage is available again"));
    });

    test("rejected requests had no effect", async () => {
      const { body } = await client.get(`${holder.keys}?key-format=visible`);
      expect(body.total).toBe(5); // three from before, and one by each node since
      expect(body.data[0]).toMatchObject({ id: known.id, key: known.key, expiresOn: null });
      expect(body.data[0]).not.toHaveProperty("description");
      expectProblem(await client.get(`${holder.bucket}/consumers/while-away`), 404, "not_found");
    });

    test("a key deleted on one node is rejected by the other within a second again", async () => {
      for (let round = 0; round < 3; round++)
        expect(await verdict(other.client, holder.bucket, known.key)).toBe("valid");
      expect((await client.delete(`${holder.keys}/${known.id}`)).status).toBe(204);
      await until(async () => (await verdict(other.client, holder.bucket, known.key)) === "not_found", {});
    });
  });
});

describe("a change during an outage of one node", () => {
  let postgres: StoppablePostgres;
  let node: SpawnedServer;
  let other: SpawnedServer;

  beforeAll(async () => {
    postgres = await StoppablePostgres.create();
    const database = { environment: { DATABASE_URL: postgres.url }, drop: async () => {} };
    node = await spawnServer(engine, { database });
    other = await spawnServer(engine, { database });
  });

  afterAll(async () => {
    await node.stop();
    await other.stop();
    await postgres.remove();
  });

  test.each([1, 2])("is seen when it can: round %i", async () => {
    const { bucket, keys } = await newKeyHolder(node.client);
    const made = (
      await node.client.post(
        `${keys}/$bulk`,
        Array.from({ length: 5 }, () => ({})),
      )
    ).body.data;
    for (const { key } of made) expect(await verdict(other.client, bucket, key)).toBe("valid");
    await postgres.stop();
    for (const { key } of made) expect(await verdict(other.client, bucket, key)).toBe("valid");
    await postgres.start();
    // Checked right after the node reconnects: the other may not have noticed yet.
    for (const { id, key } of made) {
      await until(async () => (await node.client.delete(`${keys}/${id}`)).status === 204);
      await until(async () => (await verdict(other.client, bucket, key)) === "not_found");
    }
    // Storage is read again, and the caches follow it.
    await until(async () => /"feed":"fresh"/.test(await (await fetch(`${other.url}/readyz`)).text()));
  });
});
