import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { inOrder, removeInPieces } from "./removal.ts";

const removeOne =
  "DELETE FROM rate_limits WHERE window_start IN (SELECT window_start FROM rate_limits LIMIT ?) RETURNING 1";

eachEngine((engine) => {
  const storage = useStorage(engine);
  const fill = (count: number) =>
    storage.open.write((transaction) =>
      transaction.insertAll(
        "rate_limits",
        Array.from({ length: count }, (_, at) => ({ scope: "s", subject: "x", window_start: at, ends_on: 0, used: 1 })),
      ),
    );
  const left = async () =>
    Number((await storage.open.reads.one<{ left: number }>("SELECT count(*) AS left FROM rate_limits", []))!.left);

  test("all rows are removed in batches, and other writes run between them", async () => {
    await fill(3_500);
    const order: string[] = [];
    let write: Promise<unknown> | undefined;
    await removeInPieces(storage.open, async (transaction, rows) => {
      // On PostgreSQL it has a connection of its own. On SQLite it must have run before this batch.
      if (engine.name === "postgres") await write;
      const { length } = await transaction.all(removeOne, [rows]);
      order.push(`removed ${length}`);
      write ??= storage.open.write(async () => order.push("written"));
      return length;
    });
    expect(await left()).toBe(0);
    const pieces = order.filter((entry) => entry !== "written");
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.at(-1)).toBe("removed 0");
    expect(order).toContain("written");
    expect(order.indexOf("written")).toBeLessThan(order.lastIndexOf(pieces.at(-2)!));
  });

  test("slow batches stay small on SQLite, where writers wait for them", async () => {
    await fill(3_500);
    const sizes: number[] = [];
    await removeInPieces(storage.open, async (transaction, rows) => {
      const { length } = await transaction.all(removeOne, [rows]);
      sizes.push(length);
      // One millisecond for every five rows, as on a busy machine.
      const until = performance.now() + length / 5;
      while (performance.now() < until);
      return length;
    });
    expect(await left()).toBe(0);
    expect(Math.max(...sizes)).toBe(engine.name === "sqlite" ? 200 : 1000);
  });

  test("stop ends the removal between two batches", async () => {
    await fill(30);
    const stopping = new AbortController();
    await removeInPieces(
      storage.open,
      async (transaction, rows) => {
        stopping.abort();
        return (await transaction.all(removeOne, [rows])).length;
      },
      { rows: 10, signal: stopping.signal },
    );
    expect(await left()).toBe(20);
  });
});

test("a removal that fails is reported, and the next one runs", async () => {
  const failures: unknown[] = [];
  let runs = 0;
  const all = inOrder(
    [
      () => Promise.reject(new Error("away")),
      async () => {
        runs += 1;
      },
    ],
    (error) => failures.push(error),
  );
  await all(new AbortController().signal);
  expect([failures.map(String), runs]).toEqual([["Error: away"], 1]);
});
