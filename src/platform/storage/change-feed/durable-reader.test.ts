import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Client } from "pg";
import { eachEngine, postgres } from "../../../../test/support/engines.ts";
import { type TestStorage, useStorage } from "../../../../test/support/storage.ts";
import type { Change } from "../change.ts";
import { openStorage } from "../engines/open.ts";
import { numberPlaceholders } from "../engines/statements.ts";
import { trimChanges } from "./changes.ts";
import { DurableReader, firstUnseen, pageAfter } from "./durable-reader.ts";
import type { ChangeRow } from "./feed-cursor.ts";

const day = 24 * 60 * 60 * 1000;

function changeOf(subject: string): Change {
  const details = {
    id: `audt_${subject}`,
    time: new Date(0).toISOString(),
    action: "token.deleted",
    actor: { type: "system" as const, id: "system" },
    resource: { type: "token", id: subject },
    changes: [],
  };
  const data = { hash: "ab" };
  const state = { name: "ci" };
  return { accountSeq: 1, actor: "system", kind: "token.deleted", subject, data, details, state, topics: "acct_1" };
}

async function write(storage: TestStorage, subjects: string[]): Promise<void> {
  await storage.open.write(async (transaction) => {
    for (const subject of subjects) transaction.record(changeOf(subject));
  });
}

/** Reads to the end and returns the subjects in order. */
async function drain(reader: DurableReader): Promise<string[]> {
  const read: string[] = [];
  await reader.readAll(async (_, changes) => {
    read.push(...changes.map(({ subject }) => subject));
  });
  return read;
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);
let readers = 0;
const freshName = () => `reader ${++readers}`;

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function caughtUp(page = 500, wanted = "TRUE"): Promise<DurableReader> {
    const reader = new DurableReader(storage.open, freshName(), { page, wanted });
    await drain(reader);
    return reader;
  }

  test("every change with details is read once and in order, in pages", async () => {
    const reader = await caughtUp(10);
    for (const name of names("paged", 25)) await write(storage, [name]);
    await write(storage, ["last"]);
    await storage.open.write(async (transaction) => {
      const change: Change = {
        accountSeq: 1,
        actor: "system",
        kind: "account.created",
        subject: "bare",
        data: undefined,
      };
      transaction.record(change);
    });
    expect(await drain(reader)).toEqual([...names("paged", 25), "last"]);
    expect(await drain(reader)).toEqual([]);
  });

  test("changes that do not meet the condition are skipped permanently", async () => {
    const reader = await caughtUp(2, "subject LIKE 'wanted%'");
    await write(storage, ["other 1", "wanted 1", "other 2", "wanted 2", "other 3", "wanted 3", "other 4"]);
    expect(await drain(reader)).toEqual(["wanted 1", "wanted 2", "wanted 3"]);
    expect(await drain(new DurableReader(storage.open, reader.name))).toEqual([]);
  });

  test("a change has all the data that readers need", async () => {
    const reader = await caughtUp();
    await write(storage, ["whole"]);
    const read: ChangeRow[] = [];
    await reader.readAll(async (_, changes) => {
      read.push(...changes);
    });
    const { kind, subject, details, state, topics } = changeOf("whole");
    expect(read).toEqual([
      {
        seq: expect.any(Number),
        account_seq: 1,
        kind,
        subject,
        details: JSON.stringify(details),
        state: JSON.stringify(state),
        topics: topics!,
        count: 1,
        pack: null,
      },
    ]);
  });

  test("changes whose work failed are read again, also by another reader of the same name", async () => {
    const reader = await caughtUp();
    await write(storage, ["hard"]);
    const failing = reader.read(async () => {
      throw new Error("not now");
    });
    await expect(failing).rejects.toThrow("not now");
    expect(await drain(new DurableReader(storage.open, reader.name))).toEqual(["hard"]);
    expect(await drain(reader)).toEqual([]);
  });

  test("unread changes of an account can be listed in pages, the newest first", async () => {
    const reader = await caughtUp(2);
    await write(storage, ["one", "two", "three"]);
    const pages = (accountSeq: number, limit: number) =>
      Array.fromAsync(reader.unread(accountSeq, limit), (rows) => rows.map(({ subject }) => subject));
    expect(await pages(1, 10)).toEqual([["three", "two", "one"]]);
    expect(await pages(1, 2)).toEqual([["three", "two"], ["one"]]);
    expect(await pages(1, 3)).toEqual([["three", "two", "one"]]);
    expect(await pages(2, 10)).toEqual([]);
    await drain(reader);
    expect(await pages(1, 10)).toEqual([]);
  });

  test("all changes are unread by a reader that has not read yet", async () => {
    await write(storage, ["before the first pass"]);
    const [newest] = await Array.fromAsync(new DurableReader(storage.open, "new").unread(1, 1));
    expect(newest!.map(({ subject }) => subject)).toEqual(["before the first pass"]);
  });

  test("a reader that writes a change reads it in the next pass", async () => {
    const reader = await caughtUp();
    await write(storage, ["cause"]);
    await reader.read(async (transaction) => transaction.record(changeOf("effect")));
    expect(await drain(reader)).toEqual(["effect"]);
  });

  test("trimming keeps changes that a reader has not read, however old", async () => {
    const subjects = async () =>
      (await storage.open.reads.query.selectFrom("changes").select("subject").orderBy("seq").execute()).map(
        ({ subject }) => subject,
      );
    for (const { reader } of await storage.open.reads.query.selectFrom("feed_cursors").select("reader").execute())
      await drain(new DurableReader(storage.open, reader));
    const slow = await caughtUp(1);
    await write(storage, ["old 1", "old 2", "old 3"]);
    storage.clock.advance(30 * day);
    await slow.read(async () => {});
    for (const { reader } of await storage.open.reads.query.selectFrom("feed_cursors").select("reader").execute())
      if (reader !== slow.name) await drain(new DurableReader(storage.open, reader));
    await trimChanges(storage.open, storage.clock.now());
    expect((await subjects()).filter((subject) => ["old 2", "old 3"].includes(subject))).toEqual(["old 2", "old 3"]);
    expect(await drain(slow)).toEqual(["old 2", "old 3"]);
    await write(storage, ["new"]);
    await drain(slow);
    for (const { reader } of await storage.open.reads.query.selectFrom("feed_cursors").select("reader").execute())
      await drain(new DurableReader(storage.open, reader));
    await trimChanges(storage.open, storage.clock.now());
    expect(await subjects()).toEqual(["new"]);
  });
});

describe("on PostgreSQL", () => {
  const storage = useStorage(postgres);
  const clients: Client[] = [];
  let reader: DurableReader;

  beforeEach(async () => {
    reader = new DurableReader(storage.open, freshName(), { page: 3 });
    await drain(reader);
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
  });

  async function client(): Promise<Client> {
    const connected = new Client({ connectionString: storage.options.databaseUrl });
    await connected.connect();
    clients.push(connected);
    return connected;
  }

  async function append(writer: Client, subject: string): Promise<void> {
    await writer.query(
      `INSERT INTO changes (at, origin, account_seq, actor, kind, subject, details)
       VALUES (5000, 'another', 1, 'a', 'token.deleted', $1, '{}')`,
      [subject],
    );
  }

  test("transactions that commit in any order lose nothing, whatever the page", async () => {
    const writers = [await client(), await client(), await client(), await client()];
    const step = fc.record({
      writer: fc.nat(3),
      what: fc.constantFrom("append", "append", "end", "roll back", "read"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const open = writers.map((): string[] | undefined => undefined);
        const committed: string[] = [];
        const read: string[] = [];
        let count = 0;
        const end = async (index: number, sql: "COMMIT" | "ROLLBACK") => {
          const pending = open[index];
          if (!pending) return;
          await writers[index]!.query(sql);
          if (sql === "COMMIT") committed.push(...pending);
          open[index] = undefined;
        };
        for (const { writer, what } of steps) {
          if (what === "read") read.push(...(await readPage(reader)));
          else if (what === "append") {
            if (!open[writer]) await writers[writer]!.query("BEGIN");
            open[writer] ??= [];
            const subject = `change ${++count}`;
            await append(writers[writer]!, subject);
            open[writer].push(subject);
          } else await end(writer, what === "end" ? "COMMIT" : "ROLLBACK");
        }
        for (const index of writers.keys()) await end(index, "COMMIT");
        read.push(...(await drain(reader)), ...(await drain(reader)));
        expect(read.toSorted()).toEqual(committed.toSorted());
      }),
      { numRuns: 40 },
    );
  });

  test("one of several nodes reads at a time, and together they read every change once", async () => {
    const other = await openStorage(storage.options);
    try {
      const writing = Promise.all(names("busy", 60).map((subject) => write(storage, [subject])));
      const read: string[] = [];
      const nodes = [storage.open, other].map((node) => new DurableReader(node, reader.name, { page: 7 }));
      const work = async (_: unknown, changes: ChangeRow[]) => {
        read.push(...changes.map(({ subject }) => subject));
      };
      for (let pass = 0; pass < 10; pass++) await Promise.all(nodes.map((node) => node.readAll(work)));
      await writing;
      while ((await nodes[0]!.read(work)) > 0);
      expect(read.toSorted()).toEqual(names("busy", 60).toSorted());
    } finally {
      await other.close();
    }
  });

  test("a dump that is restored where transaction ids are lower loses nothing", async () => {
    const writer = await client();
    await write(storage, ["before the dump"]);
    await drain(reader);
    await append(writer, "unread in the dump");
    // As if a cluster that is a billion transactions ahead had written both.
    await writer.query("UPDATE changes SET xid = '1000000000' WHERE subject = 'unread in the dump'");
    await writer.query("UPDATE feed_cursors SET snapshot = '999999999:999999999:' WHERE reader = $1", [reader.name]);
    await write(storage, ["after the restore"]);
    const read = [...(await drain(reader)), ...(await drain(reader))];
    expect(read).toEqual(["unread in the dump", "after the restore"]);
    expect(await drain(reader)).toEqual([]);
  });

  test("changes of a dump that are ahead of the cluster are read before it reaches them, also if the cursor is not", async () => {
    const writer = await client();
    await write(storage, ["read before"]);
    await drain(reader);
    await append(writer, "ahead of the cluster");
    await writer.query("UPDATE changes SET xid = '1000000000' WHERE subject = 'ahead of the cluster'");
    const read = [...(await drain(reader)), ...(await drain(reader))];
    expect(read).toEqual(["ahead of the cluster"]);
    expect(await drain(reader)).toEqual([]);
  });

  test("a reader that another database does not know registers there", async () => {
    const writer = await client();
    await write(storage, ["read before"]);
    await drain(reader);
    await writer.query("DELETE FROM feed_cursors WHERE reader = $1", [reader.name]);
    await writer.query("DELETE FROM changes");
    await append(writer, "in the other database");
    expect(await drain(reader)).toEqual([]);
    storage.open.feed.publishGap();
    expect(await drain(reader)).toEqual(["in the other database"]);
  });

  test("a cursor moved from SQLite continues at its position", async () => {
    const writer = await client();
    await write(storage, ["read there", "unread there"]);
    await writer.query(
      `UPDATE feed_cursors SET snapshot = NULL, target = NULL,
         position = (SELECT max(seq) FROM changes WHERE subject = 'read there') WHERE reader = $1`,
      [reader.name],
    );
    expect(await drain(reader)).toEqual(["unread there"]);
  });

  // The last one: the readers of other tests would read its rows too.
  test("a reader that is far behind reads an index to find the first change, and then its page alone", async () => {
    const writer = await client();
    const rows = 1_000;
    const { snapshot: seen } = (
      await writer.query("SELECT pg_current_snapshot()::text AS snapshot FROM (SELECT pg_current_xact_id()) AS own")
    ).rows[0];
    await writer.query(`DO $$ BEGIN FOR number IN 1..${rows} LOOP
      INSERT INTO changes (at, origin, account_seq, actor, kind, subject, details)
        VALUES (5000, 'another', 1, 'a', 'token.deleted', number, repeat('x', 1500));
      COMMIT;
    END LOOP; END $$`);
    await writer.query("ANALYZE changes");
    const { snapshot: target } = (await writer.query("SELECT pg_current_snapshot()::text AS snapshot")).rows[0];
    const explain = async (sql: string, parameters: unknown[]) => {
      const explained = await writer.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${numberPlaceholders(sql)}`, parameters);
      return [...scansIn(explained.rows[0]["QUERY PLAN"][0].Plan)];
    };
    const { first } = (await writer.query(numberPlaceholders(firstUnseen), [seen, target, seen])).rows[0];
    const page = await explain(pageAfter("TRUE"), [Number(first) - 1, target, seen, seen, 50]);
    expect(page).toMatchObject([{ "Index Name": "changes_pkey", "Actual Rows": 50 }]);
    expect(page[0]!["Rows Removed by Filter"] ?? 0).toBe(0);
    // Whether the planner prefers it depends on what is vacuumed: here it must be possible.
    await writer.query("SET enable_seqscan = off; SET enable_bitmapscan = off");
    const index = { "Node Type": "Index Only Scan", "Index Name": "changes_by_transaction" };
    expect(await explain(firstUnseen, [seen, target, seen])).toMatchObject([index, index]);
    const inLargePages = new DurableReader(storage.open, reader.name, { page: 300 });
    expect(await drain(inLargePages)).toEqual(Array.from({ length: rows }, (_, index) => `${index + 1}`));
  });

  type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] };

  /** The nodes of a plan that read the table. */
  function* scansIn(node: PlanNode): Generator<PlanNode> {
    if (node["Relation Name"] === "changes") yield node;
    for (const each of node.Plans ?? []) yield* scansIn(each);
  }

  async function readPage(from: DurableReader): Promise<string[]> {
    const read: string[] = [];
    await from.read(async (_, changes) => {
      read.push(...changes.map(({ subject }) => subject));
    });
    return read;
  }
});
