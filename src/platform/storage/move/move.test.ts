import { Database as Sqlite } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { Cli } from "../../../../test/support/cli.ts";
import { type Database, postgres, sqlite } from "../../../../test/support/engines.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { adminToken } from "../../../../test/support/server-settings.ts";
import { spawnServer } from "../../../../test/support/spawned-server.ts";
import { tableContent, tableNames } from "../../../../test/support/table-content.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { Tollgate } from "../../../client/index.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { migrations } from "../../../core/database/migrations/index.ts";
import { moveToPostgres } from "../../../server/maintenance/move-to-postgres.ts";
import { unpackChanges } from "../change-feed/change-pack.ts";
import { DurableReader } from "../change-feed/durable-reader.ts";
import { openStorage } from "../engines/open.ts";
import type { MoveOptions } from "./move.ts";

const consumers = 25;
const ignored = { operation: () => {}, group: () => {}, revocationLag: () => {} };
let source: Database;
let target: Database;
let folder: TemporaryFolder;
let key: string;
let meteringBucket: string;
let subscription: string;

const clientOf = ({ url }: TestServer) => new Tollgate({ url, token: adminToken });
const directory = () => source.environment.TOLLGATE_DATA_DIR!;
const url = () => target.environment.DATABASE_URL!;
const move = (options: Partial<MoveOptions> = {}) =>
  moveToPostgres({
    directory: directory(),
    url: url(),
    now: Date.now(),
    onProgress: () => {},
    batch: { rows: 4, characters: 100_000 },
    ...options,
  });

/** Fails after the given number of batches. */
function cutOffAfter(batches: number) {
  let seen = 0;
  return move({
    onProgress: () => {
      seen += 1;
      if (seen >= batches) throw new Error("cut off");
    },
  }).catch((error: Error) => error.message);
}

/** Creates rows in every area, and deletes the last ones. */
async function furnish(server: TestServer): Promise<void> {
  const client = clientOf(server);
  const made = await client
    .consumers("main")
    .create({ name: "acme", tags: { plan: "gold", city: "Zürich \u{1f511}" } }, { withApiKey: true });
  key = made.apiKeys![0]!.key!;
  for (let index = 0; index < consumers; index += 1)
    await client.consumers("main").create({ name: `c-${index}`, tags: { plan: "gold" } }, { withApiKey: true });
  await client.consumers("main").delete(`c-${consumers - 1}`);
  ({ id: meteringBucket } = await client.metering.create());
  const meters = { requests: { max: 100 } };
  const plan = await client.plans(meteringBucket).create({ label: "P", planExternalId: "p", meters });
  ({ id: subscription } = await client.subscriptions(meteringBucket).create({
    planIds: [plan.id],
    planExternalIds: [plan.planExternalId],
    status: "active",
    type: "periodic",
    renewalStrategy: "monthly",
    region: "us-central1",
    customerKey: "acme",
    subscriptionExternalId: "s",
    customerExternalId: "acme",
  }));
  await client.usage(meteringBucket, subscription).consume({ requests: 7 });
  await mkdir(join(folder.path, "shop"));
  await writeFile(join(folder.path, "shop/openapi.json"), plainApi);
  await client.deploy(join(folder.path, "shop"), { project: "shop" });
}

const plainApi = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "shop", version: "1" },
  "x-tollgate": { upstream: "http://127.0.0.1:1" },
  paths: { "/": { get: { responses: {} } } },
});

beforeAll(async () => {
  source = await sqlite.migratedDatabase();
  folder = await temporaryFolder("move");
  const server = await startServer(sqlite, { database: source });
  await furnish(server);
  await server.stop();
});

afterAll(async () => {
  await source.drop();
  await folder.remove();
});

/** With tables, which a move to an empty database creates first: two tests do that. */
beforeEach(async () => {
  target = await postgres.migratedDatabase();
});
afterEach(() => target.drop());

describe("an interrupted move", () => {
  test.each([1, 5, 12, 30])(
    "after %i batches prevents servers from starting, and continues when it is run again",
    async (batches) => {
      expect(await cutOffAfter(batches)).toBe("cut off");
      await expect(startServer(postgres, { database: target })).rejects.toThrow("Run `tollgate migrate`");
      const how: string[] = [];
      const { rows } = await move({ onResumed: (resumed) => how.push(resumed) });
      expect(how).toEqual(["resumed"]);
      expect(rows).toBeGreaterThan(consumers * 3);
      await expectSameRows();
    },
  );

  test("a move to an empty database that was interrupted prevents a start, and continues when it is run again", async () => {
    await target.drop();
    target = await postgres.freshDatabase();
    expect(await cutOffAfter(5)).toBe("cut off");
    await expect(spawnServer(postgres, { database: target })).rejects.toThrow("Run `tollgate migrate`");
    const how: string[] = [];
    await move({ onResumed: (resumed) => how.push(resumed) });
    expect(how).toEqual(["resumed"]);
    await expectSameRows();
  });

  test("starts over if the source has changed since", async () => {
    expect(await cutOffAfter(30)).toBe("cut off");
    const server = await startServer(sqlite, { database: source });
    await clientOf(server).consumers("main").update("acme", { description: "changed" });
    await clientOf(server).consumers("main").delete("c-0");
    await clientOf(server)
      .consumers("main")
      .create({ name: "c-again", tags: { plan: "gold" } });
    await server.stop();
    const how: string[] = [];
    await move({ onResumed: (resumed) => how.push(resumed) });
    expect(how).toEqual(["resumed", "restarted"]);
    await expectSameRows();
  });

  test("is not continued by another installation", async () => {
    expect(await cutOffAfter(5)).toBe("cut off");
    const other = await sqlite.migratedDatabase();
    const server = await startServer(sqlite, { database: other });
    await server.stop();
    await expect(move({ directory: other.environment.TOLLGATE_DATA_DIR! })).rejects.toThrow("was interrupted");
    await other.drop();
  });
});

describe("a move", () => {
  test("is rejected while a server uses the directory, and leaves the target empty", async () => {
    const server = await startServer(sqlite, { database: source });
    const empty = await postgres.freshDatabase();
    await expect(move({ url: empty.environment.DATABASE_URL! })).rejects.toThrow(
      "is in use by another Tollgate server",
    );
    await server.stop();
    expect(await tableNames(empty)).toEqual([]);
    await empty.drop();
  });

  test("is rejected if the target has data of another installation, and if there is nothing to move", async () => {
    const server = await startServer(postgres, { database: target });
    await server.stop();
    await expect(move()).rejects.toThrow("already contains data");
    await expect(move({ directory: folder.path })).rejects.toThrow("There is no embedded server's database");
  });

  test("fails if a row differs after the copy", async () => {
    await cutOffAfter(1);
    await using connection = new SQL(url(), { max: 1 });
    await connection.unsafe(`
      CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := 'x' || NEW.name; RETURN NEW; END $$;
      CREATE TRIGGER spoil BEFORE INSERT ON consumers FOR EACH ROW EXECUTE FUNCTION spoil()`);
    await expect(move()).rejects.toThrow(/^Row \["\d+"\] of consumers differs in PostgreSQL after the copy\.$/);
    await connection.close();
  });

  test("includes the changes that durable readers have not read, also in packs", async () => {
    const packed = await sqlite.migratedDatabase();
    const settings = {
      migrations,
      now: Date.now,
      databaseConnections: 8,
      staleSeconds: 300,
      observer: ignored,
      warn: () => {},
    };
    const dataDirectory = packed.environment.TOLLGATE_DATA_DIR!;
    const before = await openStorage({ ...settings, dataDirectory, databaseUrl: undefined });
    const ids = Array.from({ length: 30 }, (_, index) => `tokn_${index}`);
    await before.write(async (transaction) => {
      const act = { account: { seq: 1, id: "acct_1", name: "acme" }, actor: "system", now: 0 };
      for (const id of ids) recordChange(transaction, act, "token.created", { type: "token", id, after: { id } });
    });
    await before.close();
    await move({ directory: dataDirectory });
    const after = await openStorage({ ...settings, dataDirectory, databaseUrl: url() });
    const read: string[] = [];
    await new DurableReader(after, "any").readAll(async (_, rows) => {
      expect(rows.map(({ count }) => count)).toEqual([30]);
      read.push(...rows.flatMap(unpackChanges).map(({ details }) => JSON.parse(details).resource.id));
    });
    expect(read).toEqual(ids);
    await after.close();
    await packed.drop();
  });

  test("by the command line copies everything, and a server continues with it", async () => {
    await target.drop();
    target = await postgres.freshDatabase();
    const cli = new Cli(folder, { url: "" });
    const words = ["migrate", "--to", url(), "--data-dir", directory()];
    const { status, stdout, stderr } = await cli.runProcess(words, { environment: cli.anonymous });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: "" });
    expect(stderr).toMatch(/^Copied 25 rows of consumers$/m);
    expect(stderr).toMatch(/^Compared 25 rows of consumers$/m);
    expect(stderr).toMatch(/^Moved [\d,]+ rows of \d+ tables to \S+ in .*; each was compared\.$/m);
    expect(stderr).not.toContain(`:${new URL(url()).password}@`);
    await expectSameRows();

    const again = await cli.runProcess(words, { environment: cli.anonymous });
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("already contains data") });

    const server = await startServer(postgres, { database: target });
    const client = clientOf(server);
    expect(await client.verifyKey("main", key)).toMatchObject({ valid: true, consumer: { name: "acme" } });
    const [shown] = await client.keys("main", "acme").list({ keyFormat: "visible" }).all();
    expect(shown!.key).toBe(key);
    const listed = client.consumers("main").list({ tag: { plan: "gold" } });
    expect((await listed.page()).total).toBe(25);
    await client.consumers("main").delete("c-1");
    const { name } = await client.consumers("main").create({ name: "new", tags: { plan: "gold" } });
    expect(
      (
        await client
          .consumers("main")
          .list({ tag: { plan: "gold" } })
          .page()
      ).total,
    ).toBe(25);
    expect((await client.consumers("main").list().all()).at(-1)!.name).toBe(name);
    const usage = await client.usage(meteringBucket, subscription).get();
    expect(JSON.stringify(usage)).toContain("7");
    expect((await client.deployments.list("shop"))[0]).toMatchObject({ state: "STARTED" });
    await server.stop();
    // The number of a consumer that was deleted before the move was not reused.
    const [last] = (await tableContent(source, "sqlite_sequence")).filter((row) => row.name === "consumers");
    const numbers = (await tableContent(target, "consumers")).map(({ seq }) => Number(seq));
    expect(Math.max(...numbers)).toBe(Number(last!.seq) + 1);
  });
});

test("the command line requires an address of PostgreSQL, and does not print it", async () => {
  const cli = new Cli(folder, { url: "" });
  const run = (words: string) => cli.runProcess(words, { environment: cli.anonymous });
  expect(await run("migrate")).toMatchObject({ status: 2, stderr: expect.stringContaining("--to is missing") });
  const wrong = await run("migrate --to mysql://root:hush@host/name");
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).not.toContain("hush");
});

/** Read by each engine's own driver, not by the code that moved them. */
async function expectSameRows(): Promise<void> {
  using file = new Sqlite(join(directory(), "tollgate.db"), { readonly: true });
  await using connection = new SQL(url(), { max: 1 });
  const names = (await tableNames(source)).filter((name) => !name.startsWith("sqlite_"));
  expect(names.length).toBeGreaterThan(20);
  const texts = (rows: Record<string, unknown>[], columns: string[]) =>
    rows.map((row) => JSON.stringify(columns.map((column) => readable(row[column])))).sort();
  for (const name of names.filter((table) => table !== "migrations")) {
    const here = file.query<Record<string, unknown>, []>(`SELECT * FROM ${name}`).all();
    const there = await connection.unsafe(`SELECT * FROM ${name}`);
    const columns = Object.keys(here[0] ?? {});
    expect([name, texts(there, columns)]).toEqual([name, texts(here, columns)]);
  }
}

function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "number" || typeof value === "bigint" ? String(value) : value;
}
