import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { newId } from "../../../lib/ids.ts";
import type { Change } from "../change.ts";
import { packedRows, unpackChanges } from "./change-pack.ts";
import { DurableReader } from "./durable-reader.ts";
import type { ChangeRow } from "./feed-cursor.ts";

let made = 0;

function changeOf({ accountSeq, kind, hasDetails, hasState }: Drawn): Change {
  const subject = newId("tokn", ++made);
  const details = {
    id: newId("audt", made),
    time: new Date(made).toISOString(),
    action: kind,
    actor: { type: "system" as const, id: "system" },
    resource: { type: "token", id: subject, name: "zwei\nZeilen €" },
    changes: [],
  };
  return {
    ...{ accountSeq, actor: "system", kind, subject, data: undefined, topics: "bucket-of-a-name\nacct_1" },
    ...(hasDetails ? { details } : {}),
    ...(hasState ? { state: { text: `${made}\n` } } : {}),
  } as Change;
}

interface Drawn {
  accountSeq: number | null;
  kind: "token.created" | "token.deleted";
  hasDetails: boolean;
  hasState: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  accountSeq: fc.constantFrom(1, 1, 1, 2, null),
  kind: fc.constantFrom("token.created", "token.deleted"),
  hasDetails: fc.constantFrom(true, true, true, false),
  hasState: fc.boolean(),
});

test("any mixture of changes is stored once, and those of an account in order", () => {
  let packs = 0;
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 90, size: "max" }), (each) => {
      const changes = each.map(changeOf);
      const rows = packedRows(changes, "local", 5);
      packs += rows.filter(({ pack }) => pack !== null).length;
      for (const accountSeq of [1, 2, null]) {
        const wanted = changes.filter((change) => change.details && change.accountSeq === accountSeq);
        const kept = rows.filter((row) => row.details !== null && row.account_seq === accountSeq);
        const found = kept.map((row, index) => ({ ...row, details: row.details!, seq: index }));
        expect(found.flatMap(unpackChanges)).toEqual(
          wanted.map(({ kind, details, state }) => ({
            account_seq: accountSeq,
            kind,
            details: JSON.stringify(details),
            state: state ? JSON.stringify(state) : null,
          })),
        );
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
      }
      const bare = changes.filter(({ details }) => !details).map(({ subject }) => subject);
      expect(rows.filter(({ details }) => details === null).map(({ subject }) => subject)).toEqual(bare);
    }),
  );
  expect(packs).toBeGreaterThan(10);
});

test("a pack has no more than 256 changes", () => {
  const drawn = { accountSeq: 1, kind: "token.created" as const, hasDetails: true, hasState: false };
  const rows = packedRows(
    Array.from({ length: 600 }, () => changeOf(drawn)),
    "local",
    5,
  );
  expect(rows.map(({ count }) => count)).toEqual([256, 256, 88]);
});

test("a pack describes its range, and lists the ids that its time range does not cover", () => {
  const changes = Array.from({ length: 20 }, () =>
    changeOf({ accountSeq: 1, kind: "token.created", hasDetails: true, hasState: false }),
  );
  const [row, ...others] = packedRows(changes.toReversed(), "local", 5);
  expect(others).toEqual([]);
  const [first, last] = [changes[0]!.details!, changes.at(-1)!.details!];
  expect(JSON.parse(row!.details!)).toEqual({
    lowestId: first.id,
    highestId: last.id,
    earliest: first.time,
    latest: last.time,
  });
  expect(row).toMatchObject({ kind: "token.created", state: null, count: 20 });
  expect(row!.topics!.split("\n")).toEqual(["bucket-of-a-name", "acct_1"]);
});

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("changes that are written together are read once, in pages, and only the others are unread", async () => {
    const reader = new DurableReader(storage.open, "packs", { page: 30 });
    await reader.readAll(async () => {});
    const write = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const change = changeOf({ accountSeq: 1, kind: "token.deleted", hasDetails: true, hasState: true });
          await storage.open.write(async (transaction) => transaction.record(change));
          return change.subject;
        }),
      );
    const subjects = (rows: ChangeRow[]) =>
      rows.flatMap(unpackChanges).map(({ details }) => JSON.parse(details).resource.id);
    const written = [...(await write(3)), ...(await write(50)), ...(await write(50)), ...(await write(2))];
    const unread = (limit: number) => Array.fromAsync(reader.unread(1, limit), subjects);
    expect((await unread(1000)).flat().toSorted()).toEqual(written.toSorted());
    const smallPages = await unread(10);
    expect(smallPages.flat().toSorted()).toEqual(written.toSorted());
    expect(smallPages[0]!.length).toBeLessThan(written.length);
    const pages: string[][] = [];
    await reader.readAll(async (_, rows) => {
      pages.push(subjects(rows));
    });
    expect(pages.flat().toSorted()).toEqual(written.toSorted());
    // A pack is not split, so it is returned together with the changes before it.
    expect(pages[0]!.length).toBeLessThan(80);
    expect(pages.length).toBeGreaterThan(1);
    expect(await unread(1000)).toEqual([]);
    if (engine.name === "sqlite") expect(pages.flat()).toEqual(written);
  });
});
