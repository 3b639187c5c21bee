import { beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { trimChanges } from "./changes.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const storage = useStorage(engine);
  const trim = () => trimChanges(storage.open, storage.clock.now());
  const ages = async () => {
    const rows = await storage.open.reads.query.selectFrom("changes").select("at").orderBy("seq").execute();
    return rows.map(({ at }) => (storage.clock.now() - at) / day);
  };

  beforeAll(async () => {
    const rowOf = (ageInDays: number) => ({
      at: storage.clock.now() - ageInDays * day,
      origin: "another",
      account_seq: null,
      actor: "system",
      kind: "test",
      subject: "subject",
      data: null,
      details: null,
    });
    const rows = [...Array.from({ length: 12_000 }, () => 30), 7.1, 7, 6.9, 0].map(rowOf);
    await storage.open.write((transaction) => transaction.insertAll("changes", rows));
  });

  test("changes are kept for seven days", async () => {
    await trim();
    expect(await ages()).toEqual([7, 6.9, 0]);
    await trim();
    expect(await ages()).toEqual([7, 6.9, 0]);
  });

  test("the newest change is kept, however old: its number must not be reused", async () => {
    storage.clock.advance(60 * day);
    await trim();
    expect(await ages()).toEqual([60]);
  });

  test("trimming writes no change", () => {
    // The feed of PostgreSQL may have returned the inserted changes.
    expect(storage.changes.filter(({ kind }) => (kind as string) !== "test")).toEqual([]);
  });
});
