import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { Client } from "pg";
import { postgres } from "../../../../test/support/engines.ts";
import { proxiedPostgres } from "../../../../test/support/postgres-proxy.ts";
import { TestStorage, useStorage } from "../../../../test/support/storage.ts";
import { until } from "../../../../test/support/until.ts";
import { openStorage } from "../engines/open.ts";
import { StorageUnavailable } from "../errors.ts";
import { DurableReader } from "./durable-reader.ts";

/** The documented delay of a change on another node. */

const storage = useStorage(postgres);
const engine = proxiedPostgres();
const otherNodes: Client[] = [];

beforeEach(async () => {
  storage.changes = [];
  storage.lags = [];
});

afterEach(async () => {
  for (const client of otherNodes.splice(0)) await client.end();
});

test("changes of other nodes arrive within a second, with all their data", async () => {
  const node = await otherNode();
  await node.query(
    `INSERT INTO changes (at, origin, account_seq, actor, kind, subject, data)
     VALUES ($1, 'another', 7, 'tokn_1', 'key.deleted', 'key_1', '{"bucketSeq":3,"hash":"ab"}')`,
    [storage.clock.now() - 1000],
  );
  await until(() => storage.changes.length > 0);
  expect(storage.changes).toEqual([
    { accountSeq: 7, actor: "tokn_1", kind: "key.deleted", subject: "key_1", data: { bucketSeq: 3, hash: "ab" } },
  ]);
  expect(storage.lags).toEqual([1]);
  expect(storage.open.feed.trust()).toBe("fresh");
});

test("a transaction that took an early number and commits late is not lost", async () => {
  const slow = await otherNode();
  const fast = await otherNode();
  await slow.query("BEGIN");
  await append(slow, "early number");
  await append(fast, "late number");
  await until(() => subjects().includes("late number"));
  expect(subjects()).toEqual(["late number"]);
  await slow.query("COMMIT");
  await until(() => subjects().includes("early number"));
  await followedFurther(fast);
  expect(subjects()).toEqual(["late number", "early number", "mark"]);
});

test("changes that were rolled back are never announced", async () => {
  const node = await otherNode();
  await node.query("BEGIN");
  await append(node, "rolled back");
  await node.query("ROLLBACK");
  await followedFurther(node);
  expect(subjects()).toEqual(["mark"]);
});

test("a node's own changes are announced once, before its write returns", async () => {
  await storage.open.write(async (transaction) => {
    transaction.record({ accountSeq: null, actor: "system", kind: "account.created", subject: "own", data: undefined });
  });
  expect(subjects()).toEqual(["own"]);
  await followedFurther(await otherNode());
  expect(subjects()).toEqual(["own", "mark"]);
});

test("a node's own writes do not make it poll", async () => {
  const behindProxy = new TestStorage(engine);
  await behindProxy.start();
  const started = performance.now();
  let polls = 0;
  engine.proxy.faultOf = (piece) => {
    if (piece.includes("\0poll\0")) polls++;
    return undefined;
  };
  for (let each = 0; each < 60; each++)
    await behindProxy.open.write(async (transaction) => {
      transaction.record({ accountSeq: null, actor: "a", kind: "account.created", subject: "own", data: undefined });
    });
  await until(() => polls > 0);
  // Those of the interval, and one that was under way at each end.
  expect(polls).toBeLessThanOrEqual((performance.now() - started) / 249 + 2);
  engine.proxy.faultOf = undefined;
  await behindProxy.stop();
});

test("changes that were there before the start are not announced again", async () => {
  await append(await otherNode(), "before the start");
  await storage.close();
  storage.changes = [];
  await storage.start();
  await followedFurther(await otherNode());
  expect(subjects()).toEqual(["mark"]);
});

/** The transactions of a schedule: the number of changes, after which others each one ends, and how. */
const schedules = fc
  .array(fc.record({ changes: fc.integer({ min: 1, max: 3 }), commits: fc.boolean(), place: fc.nat(1000) }), {
    minLength: 2,
    maxLength: 6,
  })
  .map((all) => all.map((transaction, index) => ({ ...transaction, name: `transaction ${index}` })));

test("whatever the order of commits, every change is announced exactly once", async () => {
  const nodes = await Promise.all(Array.from({ length: 6 }, otherNode));
  await fc.assert(
    fc.asyncProperty(schedules, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), async (schedule, pauses) => {
      storage.changes = [];
      const running = schedule.map((transaction, index) => ({ ...transaction, node: nodes[index]! }));
      for (const { node, name, changes } of running) {
        await node.query("BEGIN");
        for (let index = 0; index < changes; index++) await append(node, `${name}, change ${index}`);
      }
      const byEnd = running.toSorted((one, other) => one.place - other.place);
      for (const [index, { node, commits, name }] of byEnd.entries()) {
        await node.query(commits ? "COMMIT; NOTIFY tollgate_changes" : "ROLLBACK");
        // The follower polls between two commits in some cases, and finds several commits at once in others.
        if (commits && pauses[index]) await until(() => subjects().some((text) => text.startsWith(name)));
      }
      await followedFurther(nodes[0]!);
      const expected = running
        .filter(({ commits }) => commits)
        .flatMap(({ name, changes }) => Array.from({ length: changes }, (_, index) => `${name}, change ${index}`));
      expect(subjects().sort()).toEqual([...expected, "mark"].sort());
    }),
    { numRuns: 25 },
  );
});

test("broken connections are reopened, and changes committed in the meantime are announced", async () => {
  const node = await otherNode();
  for (let round = 0; round < 3; round++) {
    await node.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await append(node, `while cut ${round}`);
    await until(() => subjects().includes(`while cut ${round}`));
  }
  await followedFurther(node);
  // Those whose log was not known to be flushed are announced again.
  expect([...new Set(subjects())]).toEqual(["while cut 0", "while cut 1", "while cut 2", "mark"]);
  await until(() => storage.open.feed.trust() === "fresh");
  await until(() => listenerCount(node));
});

test("with a backlog of any size followers start over, and the feed is current with one poll", async () => {
  const node = await otherNode();
  storage.gaps = 0;
  await node.query(
    `INSERT INTO changes (at, origin, actor, kind, subject)
     SELECT 5000, 'another', 'a', 'test', 'backlog' FROM generate_series(1, 60000)`,
  );
  await until(() => storage.gaps > 0);
  await followedFurther(node);
  expect([storage.gaps, subjects()]).toEqual([1, ["mark"]]);
  expect(storage.open.feed.trust()).toBe("fresh");
});

test("a transaction that stays open does not make polls and readers read changes again", async () => {
  const [held, node] = [await otherNode(), await otherNode()];
  const reader = new DurableReader(storage.open, "test");
  await held.query("BEGIN");
  await held.query("SELECT pg_current_xact_id()");
  for (let each = 0; each < 10; each++)
    await node.query(
      `INSERT INTO changes (at, origin, actor, kind, subject)
       SELECT 5000, 'another', 'a', 'test', 'while held' FROM generate_series(1, 1000)`,
    );
  await until(() => subjects().length === 10_000);
  await reader.readAll(async () => {});
  const rowsRead = async (scans: number) => {
    const { rows } = await node.query(
      `SELECT idx_scan + seq_scan AS scans, idx_tup_fetch + seq_tup_read AS rows
       FROM pg_stat_user_tables WHERE relname = 'changes'`,
    );
    return Number(rows[0].scans) >= scans ? { scans: Number(rows[0].scans), rows: Number(rows[0].rows) } : undefined;
  };
  // PostgreSQL reports the statistics of a connection up to seconds late, so the first figures are from before.
  let read = await until(() => rowsRead(0));
  await until(async () => {
    const before = read;
    await reader.readAll(async () => {});
    read = await until(() => rowsRead(before.scans + 12));
    return read.rows - before.rows < 1000;
  });
  await held.query("ROLLBACK");
});

test("a change of this node whose COMMIT lost its response is announced when it becomes visible, and once", async () => {
  const behindProxy = new TestStorage(engine);
  await behindProxy.start();
  const write = (subject: string) =>
    behindProxy.open.write(async (transaction) => {
      transaction.record({ accountSeq: null, actor: "system", kind: "account.created", subject, data: undefined });
    });
  engine.proxy.loseNextCommit('"lost"');
  await expect(write("lost")).rejects.toBeInstanceOf(StorageUnavailable);
  await until(() => behindProxy.changes.length > 0);
  await write("later");
  engine.proxy.faultOf = (piece) => (piece.includes('"never sent"') ? { kind: "drop" } : undefined);
  await expect(write("never sent")).rejects.toBeInstanceOf(StorageUnavailable);
  engine.proxy.faultOf = undefined;
  await write("last");
  expect(behindProxy.changes.map(({ subject }) => subject)).toEqual(["lost", "later", "last"]);
  await behindProxy.stop();
});

test("without the functions that identify a history, each reconnect counts as another one", async () => {
  const node = await otherNode();
  const { hostname, port, pathname } = new URL(storage.options.databaseUrl!);
  const role = `limited_${pathname.slice(-12)}`;
  await node.query(`REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; CREATE ROLE ${role} LOGIN PASSWORD 'x';
    GRANT ALL ON SCHEMA public TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  const limited = await openStorage({
    ...storage.options,
    databaseUrl: `postgres://${role}:x@${hostname}:${port}${pathname}`,
  });
  const read = () =>
    limited.reads.one("SELECT 1", []).then(
      () => true,
      () => false,
    );
  await until(read);
  for (let round = 1; round <= 2; round++) {
    await node.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [role]);
    await until(() => limited.feed.historyChanges === round);
    await until(read);
  }
  await limited.close();
  await node.query(`GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC; DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test("a dump that is restored into the same database counts as another history", async () => {
  const node = await otherNode();
  const before = storage.open.feed.historyChanges;
  await node.query("BEGIN; ALTER TABLE changes RENAME TO former; CREATE TABLE changes (LIKE former INCLUDING ALL)");
  await node.query("COMMIT; NOTIFY tollgate_changes");
  await until(() => storage.open.feed.historyChanges === before + 1);
  expect(storage.gaps).toBeGreaterThan(0);
  await until(() =>
    storage.open.reads.one("SELECT 1", []).then(
      () => true,
      () => false,
    ),
  );
  await node.query("BEGIN; DROP TABLE changes; ALTER TABLE former RENAME TO changes; COMMIT");
  await until(() => storage.open.feed.historyChanges === before + 2);
});

function subjects(): string[] {
  return storage.changes.map((change) => change.subject);
}

async function otherNode(): Promise<Client> {
  const client = new Client({ connectionString: storage.options.databaseUrl });
  await client.connect();
  otherNodes.push(client);
  return client;
}

async function listenerCount(node: Client): Promise<number | undefined> {
  const result = await node.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'tollgate node %'",
  );
  return result.rows.length || undefined;
}

async function append(node: Client, subject: string): Promise<void> {
  await node.query("INSERT INTO changes (at, origin, actor, kind, subject) VALUES (5000, 'another', 'a', 'test', $1)", [
    subject,
  ]);
}

/** The follower has read past all committed changes, and polls once more. */
async function followedFurther(node: Client): Promise<void> {
  await append(node, "mark");
  await node.query("NOTIFY tollgate_changes");
  await until(() => subjects().includes("mark"));
  const polls = storage.lags.length;
  await append(node, "mark again");
  await node.query("NOTIFY tollgate_changes");
  await until(() => storage.lags.length > polls);
  storage.changes = storage.changes.filter((change) => change.subject !== "mark again");
}
