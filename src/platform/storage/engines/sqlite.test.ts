import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CompiledQuery } from "kysely";
import { type TemporaryFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { migrations } from "../../../core/database/migrations/index.ts";
import { Tracer } from "../../telemetry/tracer.ts";
import { StorageUnavailable } from "../errors.ts";
import type { Storage, WriteTransaction } from "../storage.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { openSqlite } from "./sqlite.ts";

let folder: TemporaryFolder;
let storage: Storage;
let groups: number[];
let warnings: string[];

function open(tracer?: Tracer): Storage {
  const observer = { operation: () => {}, group: (size: number) => groups.push(size), revocationLag: () => {} };
  return openSqlite({
    directory: folder.path,
    migrations,
    now: () => 1,
    observer: tracer ? tracer.observing(observer) : observer,
    warn: (message) => warnings.push(message),
  });
}

beforeEach(async () => {
  folder = await temporaryFolder("sqlite");
  groups = [];
  warnings = [];
  storage = open();
});

afterEach(async () => {
  await storage.close();
  await folder.remove();
});

const insertAccount = (name: string) =>
  storage.write((transaction) =>
    transaction.insert("accounts", { id: `acct_${name}`, name, version: 1, created_on: 1, updated_on: 1 }),
  );

const insertMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => insertAccount(`account-${index}`)));

function storedNames(): string[] {
  using file = new Database(join(folder.path, "tollgate.db"), { readonly: true });
  return file
    .query<{ name: string }, []>("SELECT name FROM accounts ORDER BY seq")
    .all()
    .map((row) => row.name);
}

const pragma = (text: string) =>
  storage.write(async ({ query }) => {
    const { rows } = await query.executeQuery<Record<string, unknown>>(CompiledQuery.raw(`PRAGMA ${text}`));
    return Object.values(rows[0] ?? {})[0];
  });

test("the log is written ahead, and every commit goes to the disk", async () => {
  expect(await pragma("journal_mode")).toBe("wal");
  expect(await pragma("synchronous")).toBe(2); // FULL
  expect(await pragma("foreign_keys")).toBe(1);
});

test("writes that arrive together share one commit, in the order in which they came", async () => {
  await insertMany(200);
  expect(groups).toEqual([200]);
  expect(storedNames()).toEqual(Array.from({ length: 200 }, (_, index) => `account-${index}`));
});

test("a group is bounded, so that its first write does not wait for all others", async () => {
  await insertMany(600);
  expect(groups.reduce((sum, size) => sum + size, 0)).toBe(600);
  expect(Math.max(...groups)).toBe(256);
});

test("each write of a shared transaction has its own queries, and the commit, in the trace of its request", async () => {
  await storage.close();
  const options = { endpoint: "", headers: {}, serviceName: "", sampler: "always_on", ratio: 1, version: "" } as const;
  const tracer = new Tracer({ ...options, warn: () => {} });
  storage = open(tracer);
  const count = async (transaction: WriteTransaction, queries: number) => {
    for (let query = 0; query < queries; query += 1) await transaction.one("SELECT count(*) FROM accounts", []);
  };
  const [first, second] = [tracer.begin(null), tracer.begin(null)];
  // Background work starts the transaction.
  const writes = [storage.write((transaction) => count(transaction, 1))];
  writes.push(tracer.run(first, () => storage.write((transaction) => count(transaction, 2))));
  writes.push(tracer.run(second, () => storage.write((transaction) => count(transaction, 3))));
  await Promise.all(writes);
  expect(groups).toEqual([3]);
  const shared = ["storage commit", "storage write"];
  expect(first.spans.map(({ name }) => name)).toEqual([...Array(2).fill("storage query"), ...shared]);
  expect(second.spans.map(({ name }) => name)).toEqual([...Array(3).fill("storage query"), ...shared]);
  for (const trace of [first, second])
    for (const { traceId, parentSpanId } of trace.spans)
      expect([traceId, parentSpanId]).toEqual([trace.traceId, trace.spanId]);
});

test("a response means that the write is in the file", async () => {
  const missing: string[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      await insertAccount(`account-${index}`);
      if (!storedNames().includes(`account-${index}`)) missing.push(`account-${index}`);
    }),
  );
  expect(missing).toEqual([]);
});

test("close completes waiting writes first, and leaves one file", async () => {
  const writes = insertMany(300);
  await storage.close();
  await writes;
  expect(readdirSync(folder.path)).toEqual(["tollgate.db"]);
  expect(storedNames()).toHaveLength(300);
  storage = open();
});

const failed = { id: "acct_failed", name: "failed", version: 1, created_on: 1, updated_on: 1 };
const insertFailed = "INSERT INTO accounts (id, name, version, created_on, updated_on) VALUES (?, ?, ?, ?, ?)";
const waysToWrite: Record<string, (transaction: WriteTransaction) => Promise<unknown>> = {
  insert: (transaction) => transaction.insert("accounts", failed),
  insertAll: (transaction) =>
    transaction.insertAll("accounts", [failed, { ...failed, id: "acct_2", name: "failed-2" }]),
  insertNew: (transaction) => transaction.insertNew("accounts", [failed], ["name"]),
  run: (transaction) => transaction.run(insertFailed, Object.values(failed)),
  one: (transaction) => transaction.one(`${insertFailed} RETURNING seq`, Object.values(failed)),
  all: (transaction) => transaction.all(`${insertFailed} RETURNING seq`, Object.values(failed)),
  query: ({ query }) => query.insertInto("accounts").values(failed).execute(),
  update: ({ query }) => query.updateTable("accounts").set({ name: "failed" }).where("name", "=", "before").execute(),
  delete: ({ query }) => query.deleteFrom("accounts").where("name", "=", "before").execute(),
};

for (const [way, writeSomething] of Object.entries(waysToWrite))
  test(`in a group, work that fails after ${way} is rolled back, and the others are written once`, async () => {
    await insertAccount("before");
    let runs = 0;
    const fail = () =>
      storage.write(async (transaction) => {
        runs += 1;
        await writeSomething(transaction);
        throw new Error("changed my mind");
      });
    // On the retry the group has savepoints from the start.
    for (const round of [1, 2]) {
      const outcomes = await Promise.allSettled([
        insertAccount(`first-${round}`),
        insertAccount("before"),
        fail(),
        insertAccount(`last-${round}`),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    }
    expect(runs).toBe(3);
    expect(storedNames()).toEqual(["before", "first-1", "last-1", "first-2", "last-2"]);
  });

test("in a group, work that fails without having written is not retried, and neither are the others", async () => {
  let runs = 0;
  const counted = (work: (transaction: WriteTransaction) => Promise<unknown>) =>
    storage.write((transaction) => {
      runs += 1;
      return work(transaction);
    });
  const others = Array.from({ length: 7 }, (_, index) => ({ ...failed, id: `acct_${index}`, name: `other-${index}` }));
  const outcomes = await Promise.allSettled([
    counted((transaction) => transaction.insert("accounts", failed)),
    counted((transaction) => transaction.insert("accounts", failed)),
    // Eight rows are one statement, which SQLite rolls back by itself.
    counted((transaction) => transaction.insertAll("accounts", [...others, failed])),
    counted(async (transaction) => {
      await transaction.one("SELECT seq FROM accounts WHERE name = ?", ["failed"]);
      throw new Error("changed my mind");
    }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
  expect(runs).toBe(4);
  expect(groups).toEqual([4]);
  expect(storedNames()).toEqual(["failed"]);
});

test("a full disk gives 503; acknowledged writes are kept, and writes succeed again when there is space", async () => {
  await insertAccount("before");
  const pages = Number(await pragma("page_count"));
  await pragma(`max_page_count = ${pages + 2}`);
  const long = "x".repeat(100_000);
  const outcomes = await Promise.allSettled([insertAccount("small"), insertAccount(long), insertAccount("also-small")]);
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) expect(failure).toBeInstanceOf(StorageUnavailable);
  const acknowledged = ["small", long, "also-small"].filter((_, index) => outcomes[index]?.status === "fulfilled");
  expect(storedNames()).toEqual(["before", ...acknowledged]);

  await pragma("max_page_count = 1000000");
  await insertAccount("after");
  expect(storedNames()).toEqual(["before", ...acknowledged, "after"]);
});

test("a follower that throws does not block later writes", async () => {
  storage.feed.subscribe(
    () => {
      throw new Error("a bug");
    },
    () => {},
  );
  await storage.write(async (transaction) => {
    transaction.record({ accountSeq: null, actor: "system", kind: "account.created", subject: "a", data: undefined });
  });
  await insertAccount("later");
  expect(storedNames()).toEqual(["later"]);
  expect(warnings).toEqual(["a follower of changes failed; it starts over"]);
});

test("a ROLLBACK that throws does not block later writes, and none of its work is committed with them", async () => {
  const get = PreparedStatements.prototype.get;
  const broken = spyOn(PreparedStatements.prototype, "get").mockImplementation(function (
    this: PreparedStatements,
    sql,
  ) {
    if (sql === "ROLLBACK") throw new Error("disk I/O error");
    return get.call(this, sql);
  });
  const failing = storage.write(async (transaction) => {
    await transaction.insert("accounts", { id: "acct_a", name: "a", version: 1, created_on: 1, updated_on: 1 });
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  await expect(insertAccount("too early")).rejects.toThrow("disk I/O error");
  broken.mockRestore();
  await insertAccount("later");
  expect(storedNames()).toEqual(["later"]);
  expect(warnings).toContain("a transaction could not be rolled back; the next write will retry");
});
