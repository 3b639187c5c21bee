import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../test/support/engines.ts";
import { forAtMost } from "../../../test/support/for-at-most.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { countList, countMember, findPosition, type ListChange, removeCounts, wholeList } from "./counted-lists.ts";
import { arraysOf, valuesOf } from "./engines/row-sets.ts";
import { ListCounts } from "./list-counts.ts";
import type { WriteTransaction } from "./storage.ts";

const blockSize = 4096;
const blocks = 5;

/** Most values are at the boundary between two blocks. */
const seq = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: blocks * blockSize }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: blocks }), fc.integer({ min: -2, max: 2 }))
      .map(([block, distance]) => block * blockSize + distance),
  },
);

/** Members to add, and members to remove by their index in the list. */
const step = fc.record({
  come: fc.uniqueArray(seq, { maxLength: 15 }),
  go: fc.array(fc.nat({ max: 1000 }), { maxLength: 8 }),
});

eachEngine((engine) => {
  const storage = useStorage(engine);
  let lists = 0;

  /** A list of `seq` values in the table of tags, which contains nothing else. */
  class Members {
    readonly number = ++lists;
    readonly scope = `scope-${this.number}`;

    async change(come: number[], go: number[]): Promise<void> {
      await storage.open.write(async (transaction) => {
        await transaction.insertAll(
          "consumer_tags",
          come.map((member) => this.#row(member)),
        );
        for (const member of go) {
          await transaction.query
            .deleteFrom("consumer_tags")
            .where("bucket_seq", "=", this.number)
            .where("consumer_seq", "=", member)
            .execute();
        }
        for (const member of come) this.#count(transaction, member, 1);
        for (const member of go) this.#count(transaction, member, -1);
      });
    }

    /** Pages by counts, as in production. */
    async page(offset: number, limit: number): Promise<{ total: number; seqs: number[] }> {
      const { total, fromSeq, skip } = await findPosition(storage.open.reads, this.scope, wholeList, offset);
      return { total, seqs: await this.#select(fromSeq, skip, limit) };
    }

    /** Pages without the counts. */
    plainPage(offset: number, limit: number): Promise<number[]> {
      return this.#select(0, offset, limit);
    }

    async counters(): Promise<{ size: number }[]> {
      return storage.open.reads.query.selectFrom("list_blocks").selectAll().where("scope", "=", this.scope).execute();
    }

    async #select(fromSeq: number, skip: number, limit: number): Promise<number[]> {
      const rows = await storage.open.reads.query
        .selectFrom("consumer_tags")
        .select("consumer_seq")
        .where("bucket_seq", "=", this.number)
        .where("consumer_seq", ">=", fromSeq)
        .orderBy("consumer_seq")
        .limit(limit)
        .offset(skip)
        .execute();
      return rows.map((row) => row.consumer_seq);
    }

    #count(transaction: WriteTransaction, member: number, delta: 1 | -1): void {
      countMember(transaction, this.scope, [{ list: wholeList, delta }], member);
    }

    #row(member: number) {
      return { bucket_seq: this.number, name: "member", value: "", consumer_seq: member };
    }
  }

  test("a page found by counts is the page that OFFSET finds, after any inserts and deletes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        forAtMost(3000, async (steps) => {
          const members = new Members();
          const model = new Set<number>();
          for (const { come, go } of steps) {
            const added = come.filter((member) => !model.has(member));
            for (const member of added) model.add(member);
            const present = [...model];
            const removed = [...new Set(go.map((place) => present[place % present.length]))].filter(
              (one) => one !== undefined,
            );
            for (const member of removed) model.delete(member);
            await members.change(added, removed);
          }

          const expected = [...model].sort((one, other) => one - other);
          for (let offset = 0; offset <= expected.length + 1; offset++) {
            const page = await members.page(offset, 3);
            expect(page).toEqual({ total: expected.length, seqs: expected.slice(offset, offset + 3) });
            expect(page.seqs).toEqual(await members.plainPage(offset, 3));
          }
          for (const { size } of await members.counters()) expect(size).toBeGreaterThan(0);
          await members.change([], expected);
          expect(await members.counters()).toEqual([]);
        }),
      ),
      { numRuns: 100 },
    );
  });

  test("an offset selects its block, so that at most one block of members is skipped", async () => {
    const members = new Members();
    const seqs = Array.from({ length: 400 }, (_, index) => 1 + index * 61);
    await members.change(seqs, []);
    for (const [offset, expected] of seqs.entries()) {
      const { fromSeq, skip, total } = await findPosition(storage.open.reads, members.scope, wholeList, offset);
      expect(total).toBe(400);
      expect(skip).toBeLessThanOrEqual(Math.ceil(blockSize / 61));
      expect(seqs.filter((one) => one >= fromSeq)[skip]).toBe(expected);
    }
  });

  test("members that are added and removed concurrently are all counted", async () => {
    const members = new Members();
    // With more, some would wait for a connection longer than storage allows on a busy machine.
    const seqs = Array.from({ length: 40 }, (_, index) => 1 + index * 301);
    await Promise.all(seqs.map((one) => members.change([one], [])));
    const [stay, go] = [seqs.filter((one) => one % 3 !== 1), seqs.filter((one) => one % 3 === 1)];
    const more = seqs.map((one) => one + 50);
    await Promise.all([...go.map((one) => members.change([], [one])), ...more.map((one) => members.change([one], []))]);
    const expected = [...stay, ...more].sort((one, other) => one - other);
    expect(await members.page(0, 1000)).toEqual({ total: expected.length, seqs: expected });
    expect(await members.page(30, 10)).toEqual({ total: expected.length, seqs: expected.slice(30, 40) });
    await Promise.all(expected.map((one) => members.change([], [one])));
    expect(await members.counters()).toEqual([]);
  });

  test("a failed transaction counts nothing", async () => {
    const members = new Members();
    await members.change([1], []);
    const failing = storage.open.write(async (transaction) => {
      countMember(transaction, members.scope, [{ list: wholeList, delta: 1 }], 2);
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(await countList(storage.open.reads, members.scope, wholeList)).toBe(1);
  });

  test("lists are counted separately, and deleted with their scope", async () => {
    const both: ListChange[] = ["a", "b"].map((list) => ({ list, delta: 1 }));
    const totals = async () => {
      const pairs = ["one", "other"].flatMap((scope) => ["a", "b", "c"].map((list) => [scope, list] as const));
      return Promise.all(pairs.map(([scope, list]) => countList(storage.open.reads, scope, list)));
    };
    await storage.open.write(async (transaction) => {
      for (const member of [1, blockSize, 2 * blockSize]) countMember(transaction, "one", both, member);
      countMember(transaction, "other", [{ list: "b", delta: 1 }], 1);
    });
    expect(await totals()).toEqual([3, 3, 0, 0, 1, 0]);
    await storage.open.write(async (transaction) => {
      countMember(
        transaction,
        "one",
        [
          { list: "a", delta: -1 },
          { list: "c", delta: 1 },
        ],
        blockSize,
      );
    });
    expect(await totals()).toEqual([2, 3, 1, 0, 1, 0]);
    await storage.open.write(async (transaction) => removeCounts(transaction, "one"));
    expect(await totals()).toEqual([0, 0, 0, 0, 1, 0]);
  });

  test("counters are written in a fixed order, once each, for added and removed members", async () => {
    const counts = new ListCounts();
    const counter = (list: string) => ({ scope: "ordered", list, block: 0, shard: 0 });
    for (const list of ["b", "d", "c", "a", "b"]) counts.add(counter(list), 1);
    for (const list of ["d", "d", "e"]) counts.add(counter(list), -1);
    const raised: unknown[] = [];
    const run = async (sql: string, parameters: unknown[]) => {
      for (let at = 0; sql.startsWith("INSERT") && at < parameters.length; at += 5)
        raised.push([parameters[at + 1], parameters[at + 4]]);
    };
    await counts.write({ tablesOf: valuesOf, run });
    expect(raised).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 1],
      ["d", -1],
      ["e", -1],
    ]);
  });

  test("counts in a scope that the same group of writes removes are not stored", async () => {
    const group = new ListCounts();
    group.add({ scope: "gone", list: "a", block: 0, shard: 0 }, 1);
    const removal = new ListCounts();
    removal.removeScope("gone");
    group.merge(removal);
    const statements: unknown[] = [];
    const run = async (sql: string, parameters: unknown[]) => {
      statements.push([sql.split(" ")[0], parameters]);
    };
    await group.write({ tablesOf: valuesOf, run });
    expect(statements).toEqual([["DELETE", ["gone"]]]);
  });

  test("members of many lists are counted with as many statements as those of few", async () => {
    const change = (delta: 1 | -1) =>
      storage.open.write(async (transaction) => {
        const lists = Array.from({ length: 500 }, (_, index) => ({ list: `"list\\ ${index}`, delta }));
        countMember(transaction, "many", lists, 7);
      });
    const statements: string[] = [];
    const counts = new ListCounts();
    for (let list = 0; list < 500; list++) counts.add({ scope: "many", list: `${list}`, block: 0, shard: 0 }, -1);
    await counts.write({ tablesOf: arraysOf, run: async (sql) => void statements.push(sql) });
    expect(statements).toHaveLength(2);
    const stored = "SELECT count(*) AS lists, sum(size) AS members FROM list_blocks WHERE scope = 'many'";
    await change(1);
    expect(await storage.open.reads.one(stored, [])).toMatchObject({ lists: 500 });
    expect(await countList(storage.open.reads, "many", `"list\\ 499`)).toBe(1);
    await change(-1);
    expect(await storage.open.reads.one(stored, [])).toMatchObject({ lists: 0 });
  });
});
