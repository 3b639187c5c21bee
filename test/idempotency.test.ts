import { beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Client, ClientResponse } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { startServer, useServer } from "./support/server.ts";
import { holdText, tableContent } from "./support/table-content.ts";

const account = "/v1/accounts/default";
const hour = 60 * 60 * 1000;

let count = 0;
const newKey = () => ({ "idempotency-key": `key ${++count}` });

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  /** A separate bucket for each test. */
  let consumers: string;
  let keys: string;
  beforeEach(async () => {
    consumers = `${account}/key-buckets/bucket-${++count}/consumers`;
    keys = `${consumers}/acme/keys`;
    await client.post(consumers, { name: "acme" });
  });

  const keysOfAcme = async () => (await client.get(keys)).body.total as number;
  const exists = async (name: string) => (await client.get(`${consumers}/${name}`)).status === 200;

  /** Expects an equal response, apart from the headers of the exchange. */
  function expectReplay(response: ClientResponse, first: ClientResponse): void {
    expect(response.status).toBe(first.status);
    expect(response.text).toBe(first.text);
    for (const name of ["content-type", "etag", "location"])
      expect([name, response.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    expect(response.headers.get("idempotency-replayed")).toBe("true");
  }

  describe("the same request again", () => {
    const requests: [what: string, path: () => string, body: object | undefined][] = [
      ["a key", () => keys, { description: "one" }],
      ["a key without a body", () => keys, undefined],
      ["keys in bulk", () => `${keys}/$bulk`, [{}, {}]],
      ["a roll", () => `${consumers}/acme/roll-key`, { expiresOn: "2030-01-01T00:00:00Z" }],
      ["a consumer with a key", () => `${consumers}?with-api-key=true`, { name: "another" }],
      ["a bucket", () => `${account}/key-buckets`, { name: `idempotent-${++count}` }],
      ["a token", () => `${account}/tokens`, { role: "reader" }],
      ["a manager", () => `${consumers}/acme/managers`, { sub: "jo" }],
      ["an invite", () => `${consumers}/acme/manager-invites`, { email: "jo@acme.example" }],
    ];
    test.each(requests)("replays the first response, also after a restart: %s", async (_what, path, body) => {
      const header = newKey();
      const first = await client.post(path(), body, header);
      expect([200, 204]).toContain(first.status);
      expect(first.headers.has("idempotency-replayed")).toBe(false);
      const made = await keysOfAcme();
      clock.advance(hour);
      expectReplay(await client.post(path(), body, header), first);
      await server.restart();
      expectReplay(await client.post(path(), body, header), first);
      expect(await keysOfAcme()).toBe(made);
    });

    test("has its own effect without the header, or with another key", async () => {
      for (const header of [undefined, undefined, newKey(), newKey()]) await client.post(keys, {}, header);
      expect(await keysOfAcme()).toBe(4);
    });

    test("is the same with a trailing slash, and has its own request id", async () => {
      const header = newKey();
      const first = await client.post(keys, {}, header);
      const again = await client.post(`${keys}/`, {}, { ...header, "x-request-id": "the-second" });
      expectReplay(again, first);
      expect(again.headers.get("x-request-id")).toBe("the-second");
    });

    test("returns the key's value, which is not stored in the database", async () => {
      const { body } = await client.post(keys, { description: "sealed" }, { "idempotency-key": "look for me" });
      const rows = await tableContent(server.database, "idempotency_keys");
      expect(holdText(rows, "look for me")).toBe(true);
      for (const text of [body.key, body.key.split("_")[1], body.id, "sealed"])
        expect(holdText(rows, text)).toBe(false);
    });
  });

  describe("another request with the same key", () => {
    const others: [what: string, (header: Record<string, string>) => Promise<ClientResponse>][] = [
      ["another body", (header) => client.post(keys, { description: "two" }, header)],
      ["no body", (header) => client.post(keys, undefined, header)],
      ["another path", (header) => client.post(`${consumers}/beta/keys`, { description: "one" }, header)],
      ["another query", (header) => client.post(`${keys}?tag.plan=gold`, { description: "one" }, header)],
    ];
    test.each(others)("is rejected and does nothing: %s", async (_what, request) => {
      await client.post(consumers, { name: "beta", tags: { plan: "gold" } });
      const header = newKey();
      const first = await client.post(keys, { description: "one" }, header);
      const before = await client.get(`${consumers}?include-api-keys=true`);
      expectProblem(await request(header), 422, "idempotency_key_reused");
      expect((await client.get(`${consumers}?include-api-keys=true`)).body).toEqual(before.body);
      expectReplay(await client.post(keys, { description: "one" }, header), first);
    });
  });

  test("a key belongs to the credential that sent it", async () => {
    const { token } = (await client.post(`${account}/tokens`, { role: "editor" })).body;
    const header = newKey();
    const first = await client.post(keys, { description: "one" }, header);
    const second = await client.as(token).post(keys, { description: "two" }, header);
    expect(second.status).toBe(200);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await keysOfAcme()).toBe(2);
    expectReplay(await client.as(token).post(keys, { description: "two" }, header), second);
    expectReplay(await client.post(keys, { description: "one" }, header), first);
  });

  describe("a rejection", () => {
    test("a rejection of a taken name is replayed after the name is free", async () => {
      const header = newKey();
      const rejected = await client.post(consumers, { name: "acme" }, header);
      expectProblem(rejected, 409, "consumer_exists");
      await client.delete(`${consumers}/acme`);
      expectReplay(await client.post(consumers, { name: "acme" }, header), rejected);
      expect(await exists("acme")).toBe(false);
    });

    test("a rejection of a missing consumer is replayed after it is created, and after a restart", async () => {
      const header = newKey();
      const path = `${consumers}/late/keys`;
      const rejected = await client.post(path, {}, header);
      expectProblem(rejected, 404, "not_found");
      await client.post(consumers, { name: "late" });
      await server.restart();
      expectReplay(await client.post(path, {}, header), rejected);
      expect((await client.get(path)).body.total).toBe(0);
    });

    test("a rejection of a move of a clock is not replayed: the same request continues it", async () => {
      const header = newKey();
      const name = `clock-${++count}`;
      const move = (now: string) => client.post(`/v1/metering/${name}/clock`, { now }, header);
      expectProblem(await move("2090-01-01T00:00:00Z"), 404, "not_found");
      await client.post("/v1/metering", { name, isTest: true });
      expectProblem(await move("2091-01-01T00:00:00Z"), 422, "idempotency_key_reused");
      const moved = await move("2090-01-01T00:00:00Z");
      expect(moved.body).toMatchObject({ name, clock: "2090-01-01T00:00:00.000Z" });
      expectReplay(await move("2090-01-01T00:00:00Z"), moved);
    });

    test("a rejection of an invalid body is the same", async () => {
      const header = newKey();
      for (let time = 0; time < 2; time++)
        expectProblem(await client.post(consumers, { name: "No" }, header), 400, "validation_failed");
      expect((await client.get(consumers)).body.total).toBe(1);
    });
  });

  describe("after 24 hours", () => {
    test("a key can be reused, and not before", async () => {
      const header = newKey();
      const first = await client.post(keys, {}, header);
      clock.advance(24 * hour - 1);
      expectReplay(await client.post(keys, {}, header), first);
      clock.advance(1);
      const next = await client.post(keys, { description: "another body" }, header);
      expect(next.status).toBe(200);
      expect(next.body.id).not.toBe(first.body.id);
      expect(await keysOfAcme()).toBe(2);
      clock.advance(24 * hour - 1);
      expectReplay(await client.post(keys, { description: "another body" }, header), next);
    });

    test("a key may be used for a request that is rejected", async () => {
      const header = newKey();
      await client.post(keys, {}, header);
      clock.advance(24 * hour);
      const rejected = await client.post(consumers, { name: "acme" }, header);
      expectProblem(rejected, 409, "consumer_exists");
      expectReplay(await client.post(consumers, { name: "acme" }, header), rejected);
    });
  });

  const badKeys = ["", "x".repeat(256), "h\u00e9"];
  test.each(badKeys)("an invalid key is rejected, and nothing is created: %p", async (key) => {
    const response = await client.post(keys, {}, { "idempotency-key": key });
    expectProblem(response, 400, "validation_failed", { pointer: "Idempotency-Key" });
    expect(await keysOfAcme()).toBe(0);
  });

  describe("at once", () => {
    /** Sends requests with the same key concurrently: one has the effect, the others wait or get its response. */
    async function storm(callers: Client[]): Promise<ClientResponse[]> {
      const header = newKey();
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => callers[index % callers.length]!.post(keys, {}, header)),
      );
      const done = responses.filter(({ status }) => status === 200);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      for (const waiting of responses.filter((response) => !done.includes(response))) {
        expectProblem(waiting, 409, "request_in_progress");
        expect(Number(waiting.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect(await keysOfAcme()).toBe(1);
      expectReplay(await client.post(keys, {}, header), done[0]!);
      return responses;
    }

    test("twenty have one effect, and requests while it is in progress are rejected", async () => {
      const responses = await storm([client]);
      expect(responses.filter(({ status }) => status === 409).length).toBeGreaterThan(0);
    });

    if (engine.name === "postgres") {
      test("twenty on two nodes have one effect", async () => {
        const other = await startServer(engine, { database: server.database, clock });
        try {
          await storm([client, other.client]);
        } finally {
          await other.stop();
        }
      });

      test("twenty on two nodes have one rejection", async () => {
        const other = await startServer(engine, { database: server.database, clock });
        try {
          const header = newKey();
          const responses = await Promise.all(
            Array.from({ length: 20 }, (_, index) =>
              (index % 2 === 0 ? client : other.client).post(consumers, { name: "acme" }, header),
            ),
          );
          const codes = new Set(responses.map(({ body }) => body.code));
          expect([...codes].filter((code) => code !== "request_in_progress")).toEqual(["consumer_exists"]);
        } finally {
          await other.stop();
        }
      });

      test("one that waits for storage blocks the next on any node", async () => {
        const other = await startServer(engine, { database: server.database, clock });
        await using database = new SQL(server.database.environment.DATABASE_URL!, { max: 1 });
        try {
          for (const second of [client, other.client]) {
            const header = newKey();
            const before = await keysOfAcme();
            const { requests, early } = await database.begin(async (transaction) => {
              await transaction.unsafe("LOCK TABLE api_keys IN SHARE MODE");
              const requests = [client, second].map((caller) => caller.post(keys, {}, header));
              return { requests, early: await Promise.race(requests) };
            });
            expectProblem(early, 409, "request_in_progress");
            const statuses = (await Promise.all(requests)).map(({ status }) => status);
            expect(statuses.sort()).toEqual([200, 409]);
            expect(await keysOfAcme()).toBe(before + 1);
          }
        } finally {
          await other.stop();
        }
      });
    }
  });
});
