import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { BatchTransactions } from "./batch-transactions.ts";
import { BatchWriter } from "./batch-writer.ts";
import { StorageUnavailable } from "./errors.ts";
import type { Storage } from "./storage.ts";

type Fault = "none" | "before commit" | "after commit";

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** Writers of numbers that are added to a row each. A negative number cannot be written, and a thousand takes too long. */
  function scene() {
    let transactions = 0;
    let fault: Fault = "none";
    const observed: Storage = {
      ...storage.open,
      async write(work) {
        transactions += 1;
        const now = fault;
        fault = "none";
        if (now === "before commit") throw new StorageUnavailable(undefined);
        const result = await storage.open.write(work);
        if (now === "after commit") throw new StorageUnavailable(undefined);
        return result;
      },
    };
    const shared = new BatchTransactions(observed, storage.clock);
    const order: string[] = [];
    const writer = (name: string) => {
      const subject = crypto.randomUUID();
      const taken: number[] = [];
      const write = shared.join();
      const batches = new BatchWriter<number, void>(
        observed,
        storage.clock,
        {
          take: () => taken.splice(0),
          keep: (item) => item > 0,
          async write(transaction, items, isNew) {
            order.push(name);
            const sum = isNew ? items.reduce((total, item) => total + item, 0) : 0;
            await transaction.run(
              `INSERT INTO rate_limits (scope, subject, window_start, ends_on, used) VALUES ('test', ?, 0, 1, ?)
                ON CONFLICT (scope, subject, window_start) DO UPDATE SET used = rate_limits.used + excluded.used`,
              [subject, sum],
            );
            if (sum < 0) throw new Error("a negative number");
            if (sum === 1_000) throw new StorageUnavailable(undefined);
          },
          written: () => {},
        },
        write,
      );
      const stored = async () =>
        (await storage.open.reads.one<{ used: number }>("SELECT used FROM rate_limits WHERE subject = ?", [subject]))
          ?.used;
      return { taken, stored, flush: () => batches.flush() };
    };
    return {
      one: writer("one"),
      other: writer("other"),
      order,
      transactions: () => transactions,
      fail(next: Fault) {
        fault = next;
      },
    };
  }

  test("batches that are flushed together are one transaction, in the same order on every node", async () => {
    const { one, other, order, transactions } = scene();
    one.taken.push(1);
    other.taken.push(10);
    await Promise.all([other.flush(), one.flush()]);
    expect(transactions()).toBe(1);
    expect(order).toEqual(["one", "other"]);
    other.taken.push(20);
    await Promise.all([other.flush(), one.flush()]);
    expect(await one.stored()).toBe(1);
    expect(await other.stored()).toBe(30);
  });

  test.each<[Fault]>([["before commit"], ["after commit"]])("batches that fail %s are written once", async (when) => {
    const { one, other, fail } = scene();
    one.taken.push(1);
    other.taken.push(10);
    fail(when);
    await Promise.all([one.flush(), other.flush()]);
    one.taken.push(2);
    await Promise.all([one.flush(), other.flush()]);
    expect(await one.stored()).toBe(3);
    expect(await other.stored()).toBe(10);
  });

  test("a batch that takes too long each time does not hold up the others", async () => {
    const { one, other, transactions } = scene();
    one.taken.push(1_000);
    other.taken.push(10);
    for (const _ of ["together", "alone"]) await Promise.all([one.flush(), other.flush()]);
    expect(await one.stored()).toBeUndefined();
    expect(await other.stored()).toBe(10);
    other.taken.push(20);
    await Promise.all([one.flush(), other.flush()]);
    expect(await other.stored()).toBe(30);
    expect(transactions()).toBe(5);
  });

  test("a batch that cannot be written does not fail the others", async () => {
    const { one, other } = scene();
    one.taken.push(-1);
    other.taken.push(10);
    const [failed] = await Promise.allSettled([one.flush(), other.flush()]);
    expect(failed).toMatchObject({ status: "rejected", reason: { message: "a negative number" } });
    expect(await one.stored()).toBeUndefined();
    expect(await other.stored()).toBe(10);
  });
});
