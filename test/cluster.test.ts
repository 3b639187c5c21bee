import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { migrations } from "../src/core/database/migrations/index.ts";
import type { Client, ClientResponse } from "./support/client.ts";
import { type Database, postgres } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { type KeyHolder, newKeyHolder, verdict, verify } from "./support/key-holder.ts";
import { account } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { tableContent } from "./support/table-content.ts";
import { until } from "./support/until.ts";

const past = "2000-01-01T00:00:00Z";

describe("two nodes on one database", () => {
  let database: Database;
  let nodes: SpawnedServer[];
  let one: Client;
  let other: Client;

  beforeAll(async () => {
    database = await postgres.migratedDatabase();
    nodes = await Promise.all([spawnServer(postgres, { database }), spawnServer(postgres, { database })]);
    [one, other] = nodes.map((node) => node.client) as [Client, Client];
  });

  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await database.drop();
  });

  interface Scene extends KeyHolder {
    id: string;
    key: string;
  }

  /** A key that the other node has verified from storage and from its cache. */
  async function knownKey(): Promise<Scene> {
    const holder = await newKeyHolder(one, { metadata: { plan: "gold" } });
    const { id, key } = (await one.post(holder.keys, {})).body;
    for (let round = 0; round < 3; round++) expect(await verdict(other, holder.bucket, key)).toBe("valid");
    return { ...holder, id, key };
  }

  describe("changed on one node, and rejected by the other within a second:", () => {
    const revocations: Record<string, [act: (scene: Scene) => Promise<ClientResponse>, verdict: string]> = {
      "a key deleted": [({ keys, id }) => one.delete(`${keys}/${id}`), "not_found"],
      "a key disabled": [({ keys, id }) => one.patch(`${keys}/${id}`, { isEnabled: false }), "disabled"],
      "a key held to other addresses": [
        ({ keys, id }) => one.patch(`${keys}/${id}`, { allowedIps: ["192.0.2.1"] }),
        "ip_required",
      ],
      "keys disabled together": [
        ({ bucket, id }) => one.post(`${bucket}/keys/$update`, { ids: [id], set: { isEnabled: false } }),
        "disabled",
      ],
      "its consumer suspended": [({ path }) => one.patch(path, { isSuspended: true }), "consumer_suspended"],
      "consumers suspended together": [
        ({ bucket, path }) =>
          one.post(`${bucket}/consumers/$update`, { names: [path.split("/").at(-1)], set: { isSuspended: true } }),
        "consumer_suspended",
      ],
      "keys deleted together": [
        ({ bucket }) => one.post(`${bucket}/keys/$delete`, { where: { enabled: true } }),
        "not_found",
      ],
      "a key given another value": [
        ({ keys, id }) => one.patch(`${keys}/${id}`, { key: `new-value-of-${id}` }),
        "not_found",
      ],
      "a key given an end": [({ keys, id }) => one.patch(`${keys}/${id}`, { expiresOn: past }), "expired"],
      "keys rolled": [({ path }) => one.post(`${path}/roll-key`, { expiresOn: past }), "expired"],
      "its consumer deleted": [({ path }) => one.delete(path), "not_found"],
      "its bucket deleted": [({ bucket }) => one.delete(`${bucket}?force=true`), "not_found"],
    };
    test.each(Object.entries(revocations))("%s", async (_name, [act, expected]) => {
      const scene = await knownKey();
      expect((await act(scene)).status).toBeOneOf([200, 204]);
      await until(async () => (await verdict(other, scene.bucket, scene.key)) === expected);
      // The result is stable on both nodes.
      for (const node of [one, other]) expect(await verdict(node, scene.bucket, scene.key)).toBe(expected);
    });

    test("a token deleted", async () => {
      const { body } = await one.post(`/v1/accounts/${account}/tokens`, { role: "editor" });
      const holder = other.as(body.token);
      for (let round = 0; round < 3; round++) expect((await holder.get("/v1/who-am-i")).status).toBe(200);
      await one.delete(`/v1/accounts/${account}/tokens/${body.id}`);
      await until(async () => (await holder.get("/v1/who-am-i")).status === 401);
      expectProblem(await holder.get("/v1/who-am-i"), 401, "unauthenticated");
    });
  });

  test("a consumer's new metadata is returned by the other within a second", async () => {
    const { bucket, path, key } = await knownKey();
    await one.patch(path, { metadata: { plan: "silver" } });
    const plan = async () => (await verify(other, bucket, key)).body.user.data.plan;
    await until(async () => (await plan()) === "silver");
  });

  test("a bucket's new prefix is used by the other within a second", async () => {
    const { bucket, keys } = await knownKey();
    await one.patch(bucket, { keyPrefix: "renamed" });
    await until(async () => (await other.post(keys, {})).body.key.startsWith("renamed_"));
  });

  test("a key created on one works on the other at once", async () => {
    for (let round = 0; round < 20; round++) {
      const holder = await newKeyHolder(one);
      const { key } = (await one.post(holder.keys, {})).body;
      expect(await verdict(other, holder.bucket, key)).toBe("valid");
      const { token } = (await one.post(`/v1/accounts/${account}/tokens`, { role: "verifier" })).body;
      expect(await verdict(other.as(token), holder.bucket, key)).toBe("valid");
    }
  });

  test("a key that the other did not find works there once it is created", async () => {
    const { bucket, keys } = await newKeyHolder(one);
    const key = "a-key-of-my-own-making";
    expect(await verdict(other, bucket, key)).toBe("not_found");
    await one.post(keys, { key });
    expect(await verdict(other, bucket, key)).toBe("valid");
  });

  test("a key in the generated format with a wrong checksum works on the other node within a second", async () => {
    const { bucket, keys } = await knownKey();
    const key = "tg_0123456789abcdef0123456789abcdef_00000000";
    expect(await verdict(other, bucket, key)).toBe("malformed");
    await one.post(keys, { key });
    await until(async () => (await verdict(other, bucket, key)) === "valid");
  });

  test("one value sent to both at once creates one key", async () => {
    const { keys } = await newKeyHolder(one);
    for (let round = 0; round < 10; round++) {
      const input = { key: `a-key-of-my-own-making-${round}` };
      const responses = await Promise.all([one.post(keys, input), other.post(keys, input)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    expect((await one.get(keys)).body.total).toBe(10);
  });

  describe("one Idempotency-Key sent to both at once", () => {
    /** Retries like a client while the first request is in progress. */
    async function persistently(node: Client, path: string, body: object, key: string): Promise<ClientResponse> {
      return until(async () => {
        const response = await node.post(path, body, { "idempotency-key": key });
        if (response.body?.code !== "request_in_progress") return response;
        expect(response.status).toBe(409);
        expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
        return undefined;
      });
    }

    test("has one effect, and one response", async () => {
      const { keys } = await newKeyHolder(one);
      for (let round = 1; round <= 15; round++) {
        const responses = await Promise.all(
          [one, other, one, other].map((node) => persistently(node, keys, {}, `${keys} ${round}`)),
        );
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
        expect((await other.get(keys)).body.total).toBe(round);
      }
    });

    test("a request with one Idempotency-Key that is rejected is rejected by both nodes", async () => {
      const { keys } = await newKeyHolder(one);
      const taken = { key: "a-key-of-my-own-making" };
      await one.post(keys, taken);
      for (let round = 0; round < 15; round++) {
        const responses = await Promise.all(
          [one, other, one, other].map((node) => persistently(node, keys, taken, `${keys} rejected ${round}`)),
        );
        for (const response of responses) expect([response.status, response.body.code]).toEqual([409, "key_exists"]);
      }
      expect((await one.get(keys)).body.total).toBe(1);
    });
  });

  test("each measures the delay of the other's changes", async () => {
    const { keys, id } = await knownKey();
    await one.delete(`${keys}/${id}`);
    const lags = async () => {
      const text = await (await fetch(`${nodes[1]!.url}/metrics`)).text();
      return Number(/^tollgate_revocation_lag_seconds_count (\d+)$/m.exec(text)![1]);
    };
    await until(async () => (await lags()) > 0);
  });
});

describe("three nodes that start at once on an empty database", () => {
  test("all start, and initial data is created once", async () => {
    const database = await postgres.freshDatabase();
    const nodes = await Promise.all(Array.from({ length: 3 }, () => spawnServer(postgres, { database })));
    try {
      for (const { client } of nodes) expect((await client.get("/v1/who-am-i")).body).toMatchObject({ role: "admin" });
      const applied = await tableContent(database, "migrations");
      expect(applied.map((row) => row.name)).toEqual(migrations.map((migration) => migration.name));
      for (const table of ["accounts", "tokens", "encryption_keys"])
        expect(await tableContent(database, table)).toHaveLength(1);
      const { keys, bucket } = await newKeyHolder(nodes[0]!.client);
      const { key } = (await nodes[0]!.client.post(keys, {})).body;
      for (const { client } of nodes) expect(await verdict(client, bucket, key)).toBe("valid");
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await database.drop();
    }
  });

  test("without a configured token, one of them creates and prints it", async () => {
    const database = await postgres.migratedDatabase();
    const environment = { TOLLGATE_ADMIN_TOKEN: "" };
    const nodes = await Promise.all(Array.from({ length: 3 }, () => spawnServer(postgres, { database, environment })));
    try {
      const shown = () => nodes.flatMap((node) => node.output.join("\n").match(/tgt_[0-9a-f]{32}_[0-9a-f]{8}/g) ?? []);
      await until(() => shown().length > 0);
      expect(shown()).toHaveLength(1);
      for (const { client } of nodes) {
        const { body } = await client.as(shown()[0]!).get("/v1/who-am-i");
        expect(body).toMatchObject({ account, role: "admin" });
      }
      expect(await tableContent(database, "tokens")).toHaveLength(1);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await database.drop();
    }
  });
});
