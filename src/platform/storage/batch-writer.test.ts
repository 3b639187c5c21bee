import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { BatchWriter, deleteOldWriters } from "./batch-writer.ts";
import { StorageUnavailable } from "./errors.ts";
import type { Storage } from "./storage.ts";

type Fault = "none" | "before commit" | "after commit";

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** Batches of numbers that are added to a row. The next write may fail, before or after its commit. */
  function scene() {
    let fault: Fault = "none";
    const taken: number[] = [];
    const written: number[] = [];
    const dropped: number[] = [];
    const bad = new Set<number>();
    const subject = crypto.randomUUID();
    const failing: Storage = {
      ...storage.open,
      async write(work) {
        const now = fault;
        fault = "none";
        if (now === "before commit") throw new StorageUnavailable(undefined);
        const result = await storage.open.write(work);
        if (now === "after commit") throw new StorageUnavailable(undefined);
        return result;
      },
    };
    const add = `INSERT INTO rate_limits (scope, subject, window_start, ends_on, used) VALUES ('test', ?, 0, 1, ?)
      ON CONFLICT (scope, subject, window_start) DO UPDATE SET used = rate_limits.used + excluded.used`;
    const writer = new BatchWriter<number, void>(failing, storage.clock, {
      take: () => taken.splice(0),
      write: async (transaction, items, isNew) => {
        if (items.some((item) => bad.has(item))) {
          // Some of the statements before the one that fails must be undone.
          await transaction.run(add, [subject, 1_000_000]);
          throw new Error("it is bad");
        }
        const sum = items.reduce((total, item) => total + item, 0);
        if (isNew) await transaction.run(add, [subject, sum]);
      },
      written: (items) => void written.push(...items),
      dropped: (item) => void dropped.push(item),
    });
    const stored = async () =>
      (await storage.open.reads.one<{ used: number }>("SELECT used FROM rate_limits WHERE subject = ?", [subject]))
        ?.used;
    const fail = (next: Fault) => {
      fault = next;
    };
    return { writer, taken, written, dropped, bad, stored, fail };
  }

  test.each<[Fault]>([["before commit"], ["after commit"]])(
    "a batch whose write fails %s is written once",
    async (when) => {
      const { writer, taken, written, stored, fail } = scene();
      taken.push(1);
      await writer.flush();
      taken.push(10, 20);
      fail(when);
      await writer.flush();
      expect(written).toEqual([1]);
      expect(writer.unconfirmed).toEqual([10, 20]);
      taken.push(400);
      await writer.flush();
      expect(await stored()).toBe(431);
      expect(written).toEqual([1, 10, 20, 400]);
      expect(writer.unconfirmed).toEqual([]);
    },
  );

  test("an item that cannot be written does not keep back the others, and is dropped after some attempts", async () => {
    const { writer, taken, written, dropped, bad, stored } = scene();
    bad.add(4);
    taken.push(1, 2, 4, 8, 16);
    await expect(writer.flush()).rejects.toThrow("it is bad");
    expect(await stored()).toBe(27);
    expect(writer.unconfirmed).toEqual([4]);
    // Its total is in no batch.
    expect(writer.number).toBe(Number.POSITIVE_INFINITY);
    taken.push(32);
    await expect(writer.flush()).rejects.toThrow("it is bad");
    expect(await stored()).toBe(59);
    let flushes = 2;
    while (writer.unconfirmed.length > 0 && flushes < 10_000) {
      await writer.flush().catch(() => {});
      flushes += 1;
    }
    expect(dropped).toEqual([4]);
    expect(flushes).toBe(512);
    expect(await stored()).toBe(59);
    expect(written.toSorted((one, other) => one - other)).toEqual([1, 2, 8, 16, 32]);
    taken.push(64);
    await writer.flush();
    expect(await stored()).toBe(123);
    expect(writer.number).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  test("an item that can be written later is written once", async () => {
    const { writer, taken, written, dropped, bad, stored, fail } = scene();
    bad.add(4);
    taken.push(1, 4);
    await expect(writer.flush()).rejects.toThrow("it is bad");
    bad.clear();
    fail("after commit");
    await writer.flush();
    expect(writer.unconfirmed).toEqual([4]);
    await writer.flush();
    expect(await stored()).toBe(5);
    expect(written).toEqual([1, 4]);
    expect(dropped).toEqual([]);
  });

  test("a batch that may have been committed is not written in pieces", async () => {
    const { writer, taken, bad, stored, fail } = scene();
    taken.push(1, 4);
    fail("after commit");
    await writer.flush();
    bad.add(4);
    await expect(writer.flush()).rejects.toThrow("it is bad");
    expect(writer.unconfirmed).toEqual([1, 4]);
    bad.clear();
    await writer.flush();
    expect(await stored()).toBe(5);
    expect(writer.unconfirmed).toEqual([]);
  });

  test("concurrent flushes write every item once", async () => {
    const { writer, taken, stored, fail } = scene();
    for (let round = 0; round < 10; round++) {
      taken.push(1);
      fail(round % 2 ? "after commit" : "before commit");
      await Promise.all([writer.flush(), writer.flush(), writer.flush()]);
    }
    expect(await stored()).toBe(10);
  });

  test("a writer is remembered for a month after its last batch", async () => {
    const writers = async () => (await storage.open.reads.all("SELECT * FROM written_batches", [])).length;
    const { writer, taken } = scene();
    taken.push(1);
    await writer.flush();
    const before = await writers();
    const day = 24 * 60 * 60 * 1000;
    await deleteOldWriters(storage.open, storage.clock.now() + 30 * day);
    expect(await writers()).toBe(before);
    await deleteOldWriters(storage.open, storage.clock.now() + 30 * day + 1);
    expect(await writers()).toBe(0);
  });
});
