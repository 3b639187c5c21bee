import { expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { startServer, useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const operator = client.as(operatorToken);
  const status = async () => (await operator.get("/v1/system")).body;

  test("the system status contains version, storage, memory, nodes, caches and feed delay", async () => {
    const body = await status();
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      startedOn: clock.iso(),
      storage: { engine: engine.name },
      lastBackup: null,
    });
    const partitioned = { partitions: expect.any(Number) };
    expect(body.usageEvents).toEqual(engine.name === "sqlite" ? null : partitioned);
    expect(body.memoryBytes).toBeGreaterThan(1_000_000);
    expect(body.feed.lagMs).toBeGreaterThanOrEqual(0);
    expect(body.nodes.map(({ isThis }: { isThis: boolean }) => isThis)).toEqual([true]);
    expect(body.caches.map(({ name }: { name: string }) => name).sort()).toEqual([
      "authorizations",
      "buckets",
      "consumers",
      "keys",
      "metering-buckets",
      "oauth-keys",
      "people",
      "sessions",
      "tokens",
    ]);
  });

  test("storage grows with its contents", async () => {
    const before = (await status()).storage.bytes;
    const bucket = "/v1/accounts/default/key-buckets/main/consumers";
    const metadata = { text: "x".repeat(16_000) };
    for (let index = 0; index < 40; index++) await client.post(bucket, { name: `large-${index}`, metadata });
    expect((await status()).storage.bytes).toBeGreaterThan(before);
  });

  test("only the operator can read the system status", async () => {
    expectProblem(await client.anonymous().get("/v1/system"), 401, "unauthenticated");
    for (const role of ["admin", "editor", "reader", "verifier"] as const)
      expectProblem(await (await callerWithRole(client, role)).get("/v1/system"), 403, "forbidden");
  });

  test("readers of an account see for how long things are kept", async () => {
    const path = "/v1/accounts/default/retention";
    const reader = await callerWithRole(client, "reader");
    expect((await reader.get(path)).body).toEqual({ requestDays: 7, auditLogDays: 400, usageEventDays: 400 });
    expectProblem(await client.anonymous().get(path), 401, "unauthenticated");
    expectProblem(await (await callerWithRole(client, "verifier")).get(path), 403, "forbidden");
    expectProblem(await (await strangerOf(client, "retention")).get(path), 404, "not_found");
  });

  if (engine.name === "postgres")
    test("lists every node, and no longer one that has stopped", async () => {
      const other = await startServer(engine, { database: server.database });
      try {
        await until(async () => (await status()).nodes.length === 2);
        const { nodes } = await status();
        expect(nodes.filter(({ isThis }: { isThis: boolean }) => isThis).length).toBe(1);
        const seen = (await other.client.as(operatorToken).get("/v1/system")).body.nodes;
        const thisOf = (list: { id: string; isThis: boolean }[]) => list.find(({ isThis }) => isThis)!.id;
        expect(thisOf(seen)).not.toBe(thisOf(nodes));
      } finally {
        await other.stop();
      }
      await until(async () => (await status()).nodes.length === 1);
    });
});
