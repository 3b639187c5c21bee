import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { maxSeq } from "../storage.ts";

const account = (name: string) => ({ id: `acct_${name}`, name, version: 1, created_on: 1, updated_on: 1 });
const names = "SELECT name FROM accounts ORDER BY seq";

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a snapshot sees one time, and neither waits for a write nor delays one", async () => {
    const { open } = storage;
    await open.write((transaction) => transaction.insert("accounts", account("one")));
    const shown = await open.snapshot(async (reads) => {
      const before = await reads.all(names, []);
      await open.write(async (transaction) => {
        await transaction.insert("accounts", account("two"));
        // Another snapshot while the writer is held.
        expect(await open.snapshot((inner) => inner.all(names, []))).toEqual(before);
      });
      expect(await reads.all(names, [])).toEqual(before);
      expect(await open.reads.all<object>(names, [])).toHaveLength(2);
      return before;
    });
    expect(shown).toEqual([{ name: "one" }]);
    expect(await open.snapshot((reads) => reads.all<object>(names, []))).toHaveLength(2);
  });

  test("a snapshot writes nothing, and can be used after one that failed", async () => {
    const { open } = storage;
    const failing = open.snapshot(async (reads) => {
      await reads.all("DELETE FROM accounts RETURNING name", []);
    });
    await expect(failing).rejects.toThrow();
    expect(await open.snapshot((reads) => reads.all<object>(names, []))).toHaveLength(2);
  });

  test("what happens in memory stays there", async () => {
    const { open } = storage;
    const tables = ["accounts"] as const;
    const outcomes: string[] = [];
    const work = () =>
      open.inMemory(tables, async (transaction) => {
        transaction.onEnd((outcome) => outcomes.push(outcome));
        const seq = await transaction.insert("accounts", account("memory"));
        const undone = await transaction.undone(async () => {
          await transaction.insert("accounts", account("undone"));
          return transaction.all<object>(names, []);
        });
        expect(undone).toHaveLength(2);
        return [seq, await transaction.all(names, [])];
      });
    expect(await Promise.all([work(), work()])).toEqual([
      [maxSeq + 1, [{ name: "memory" }]],
      [maxSeq + 1, [{ name: "memory" }]],
    ]);
    // The database is used again.
    expect(await work()).toEqual([maxSeq + 1, [{ name: "memory" }]]);
    expect(outcomes).toEqual(["rolledBack", "rolledBack", "rolledBack"]);
    const other = open.inMemory(tables, (transaction) => transaction.all("SELECT * FROM plans", []));
    await expect(other).rejects.toThrow("no such table: plans");
    expect(await open.reads.all<object>(names, [])).toHaveLength(2);
  });
});
