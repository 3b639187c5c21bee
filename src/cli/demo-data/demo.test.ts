import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cachedBuilder } from "../../../test/support/cached-builder.ts";
import { Cli } from "../../../test/support/cli.ts";
import { type Database, eachEngine, sqlite } from "../../../test/support/engines.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { startServer, type TestServer } from "../../../test/support/server.ts";
import { adminToken, type Environment, serverEnvironment } from "../../../test/support/server-settings.ts";
import { patiently } from "../../../test/support/slowdown.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Tollgate } from "../../client/index.ts";
import { readConfig } from "../../config/config.ts";
import { contentsOf } from "../../server/maintenance/contents.ts";
import { type Filled, fill } from "./fill.ts";
import { keyBucket, meteringBucket } from "./projects.ts";

const until = "2026-01-15T18:00:00.000Z";
const from = "2026-01-08T18:00:00.000Z";
const patienceMs = patiently(300_000);

/** The results of each engine so far. */
const results: Filled[] = [];

eachEngine((engine) => {
  let database: Database;
  let folder: TemporaryFolder;
  let filled: Filled;
  let server: TestServer;
  let client: Tollgate;
  const warnings: string[] = [];

  beforeAll(async () => {
    database = await engine.freshDatabase();
    folder = await temporaryFolder("demo");
    const config = readConfig(serverEnvironment(database, folder.path, {}));
    expect(await contentsOf(config, new FakeClock(until))).toEqual([]);
    filled = await fill(config, {
      until: Date.parse(until),
      weeks: 1,
      seed: "test",
      traffic: 0.06,
      onProgress: () => {},
      warn: (text) => warnings.push(text),
      runBuilder: cachedBuilder(config),
    });
    results.push(filled);
    expect(await contentsOf(config, new FakeClock(until))).toEqual([
      "key buckets",
      "metering buckets",
      "deployments",
      "variables",
      "webhooks",
    ]);
    server = await startServer(engine, { database, clock: new FakeClock(until) });
    client = new Tollgate({ url: server.url, token: adminToken });
  }, patienceMs);

  afterAll(async () => {
    await server.stop();
    await database.drop();
    await folder.remove();
  });

  test("the server logged no errors", () => {
    expect(warnings).toEqual([]);
  });

  test("the same seed gives the same data on every engine", () => {
    for (const { requests, statuses, events, customers } of results)
      expect({ requests, statuses, events, customers }).toMatchObject({
        requests: filled.requests,
        statuses: filled.statuses,
        events: filled.events,
        customers: filled.customers,
      });
  });

  test("plans have prices, and customers have invoices: paid, failed and open", async () => {
    const invoices = await client.invoices(meteringBucket).list().all();
    const priced = (await client.plans(meteringBucket).list().all()).filter(({ price }) => price !== undefined);
    expect(priced.map(({ label }) => label)).toEqual(["Starter", "Scale", "Enterprise"]);
    const invoicesOf = (name: string) => invoices.filter(({ customerKey }) => customerKey === name);
    expect(invoicesOf("northwind-traders").map(({ status }) => status)).not.toContain("open");
    expect(invoicesOf("copper-kettle")[0]).toMatchObject({ status: "open", failedOn: expect.any(String) });
    expect(invoicesOf("juniper-cosmetics")[0]).toMatchObject({ status: "open" });
    const { data } = await client.invoices(meteringBucket).revenue();
    expect(new Set(data.map(({ planId }) => planId)).size).toBe(3);
  });

  test("every request that was sent is in the analytics, by day, by status and by consumer", async () => {
    const { name } = filled.deployment;
    for (const [step, by] of [
      ["1h", "status"],
      ["1d", "consumer"],
      ["1d", "route"],
    ] as const) {
      const { series } = await client.analytics.ofDeployment(name, { from, to: until, step, by, limit: 100 });
      const sum = series.reduce(
        (total, { points }) => total + points.reduce((all, point) => all + point.requests, 0),
        0,
      );
      expect({ by, sum }).toEqual({ by, sum: filled.requests });
    }
    const { series } = await client.analytics.ofDeployment(name, { from, to: until, step: "1d", by: "status" });
    const counted = new Map(series.map(({ key, totals }) => [Number(key), totals.requests]));
    expect(counted).toEqual(filled.statuses);
    expect([...counted.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 429, 500, 504]));
  });

  test("usage by day adds up to the counters of each subscription, and to the events that are stored", async () => {
    const subscriptions = await client.subscriptions(meteringBucket).list().all();
    expect(subscriptions.length).toBe(filled.customers);
    let messages = 0;
    for (const { id, createdOn } of subscriptions) {
      const usage = client.usage(meteringBucket, id);
      const { meters } = await usage.get();
      const series = await usage.series({ from: createdOn, to: until, step: "1d" });
      for (const [meter, { used }] of Object.entries(meters)) {
        const sum = series.meters[meter]!.points.reduce((total, point) => total + point.used, 0);
        expect({ id, meter, sum }).toEqual({ id, meter, sum: used });
      }
      messages += meters.messages?.used ?? 0;
    }
    expect(messages).toBeGreaterThan(0);
    expect((await client.metering.reconcile(meteringBucket)).agrees).toBe(true);
  });

  test("every page of the console has data", async () => {
    const statuses = new Set((await client.subscriptions(meteringBucket).list().all()).map(({ status }) => status));
    expect([...statuses].sort()).toEqual(["active", "canceled", "inactive", "past-due", "trialing"]);
    expect((await client.metering.usage(meteringBucket, { near: 0.8 }).all()).length).toBeGreaterThan(1);
    const keys = await client.bucketKeys(keyBucket).list().all();
    expect(keys.some(({ isEnabled }) => !isEnabled)).toBe(true);
    expect(keys.some(({ lastUsedOn }) => lastUsedOn === null)).toBe(true);
    expect(keys.some(({ expiresOn }) => expiresOn !== null)).toBe(true);
    const versions = await client.deployments.versions(filled.deployment.name).all();
    expect(versions.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4]);
    const branches = (await client.deployments.list("waybill")).map(({ branchName }) => branchName);
    expect(branches.sort()).toEqual(["eco-rates", "main"]);
    const outcomes = new Set<string>();
    for (const { id } of await client.webhooks.list().all())
      for (const { status } of await client.webhooks.deliveries(id)) outcomes.add(status);
    expect([...outcomes].sort()).toEqual(["failed", "pending", "succeeded"]);
    expect(await client.auditLog.verify()).toMatchObject({ intact: true, unsealed: 0 });
    const actors = new Set((await client.auditLog.list({ limit: 1000 })).map(({ actor }) => actor.name));
    expect(actors.size).toBeGreaterThan(3);
  });

  test("the gateway accepts a customer's key", async () => {
    const { url, name } = (await client.deployments.list("waybill")).find(({ branchName }) => branchName === "main")!;
    expect(name).toBe(filled.deployment.name);
    const response = await fetch(`http://127.0.0.1:${new URL(url).port}/tracking/WB1`, {
      headers: { host: new URL(url).host, authorization: `Bearer ${filled.key}` },
    });
    expect(response.status).toBe(200);
  });
});

describe("the command", () => {
  let folder: TemporaryFolder;
  let cli: Cli;
  beforeAll(async () => {
    folder = await temporaryFolder("demo-cli");
    cli = new Cli(folder, { url: "" });
  });
  afterAll(() => folder.remove());

  const demo = (words: string, environment: Environment) =>
    cli.runProcess(`demo ${words}`.trim(), { environment: { ...cli.anonymous, ...environment } });

  test("names a port that is in use, and creates nothing", async () => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const { port } = other;
    const database = await sqlite.freshDatabase();
    const environment = { ...database.environment, TOLLGATE_HOST: "127.0.0.1", TOLLGATE_PORT: String(port) };
    const busy = await demo("", environment);
    await other.stop(true);
    expect(busy).toMatchObject({ status: 2, stdout: "" });
    expect(busy.stderr).toContain(`Nothing was changed: port ${port} on 127.0.0.1 is in use by another program.`);
    const config = readConfig({ ...environment, TOLLGATE_PORT: "0" });
    expect(await contentsOf(config, new FakeClock(until))).toEqual([]);
    await database.drop();
  });

  test("rejects a running or non-empty server and changes nothing", async () => {
    const database = await sqlite.freshDatabase();
    const server = await startServer(sqlite, { database });
    await new Tollgate({ url: server.url, token: adminToken }).consumers("main").create({ name: "acme" });
    const running = await demo("", database.environment);
    expect(running).toMatchObject({ status: 1, stdout: "" });
    expect(running.stderr).toContain("is in use by another Tollgate server");
    await server.stop();
    const full = await demo("", database.environment);
    expect(full).toMatchObject({ status: 2, stdout: "" });
    expect(full.stderr).toContain("is not empty: it contains key buckets. Nothing was changed.");
    await server.start();
    const client = new Tollgate({ url: server.url, token: adminToken });
    expect((await client.buckets.list().all()).map(({ name }) => name)).toEqual(["main"]);
    await server.stop();
    await database.drop();
  });

  test.each([
    ["--weeks 0", "--weeks must be from 1 to 12, not 0."],
    ["--weeks 13", "--weeks must be from 1 to 12, not 13."],
    ["--traffic 11", "--traffic must be from 0.1 to 10, not 11."],
  ])("rejects %s", async (words, message) => {
    const { status, stderr } = await demo(words, { TOLLGATE_DATA_DIR: folder.path });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
