import { beforeEach, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Change } from "../change.ts";
import { ReferenceViolation, UniqueViolation } from "../errors.ts";
import type { WriteTransaction } from "../storage.ts";

function accountRow(name: string) {
  return { id: `acct_${name}`, name, version: 1, created_on: 1, updated_on: 1 };
}

function change(subject: string): Change<"token.deleted"> {
  return { accountSeq: null, actor: "system", kind: "token.deleted", subject, data: { hash: "ab" } };
}

eachEngine((engine) => {
  const storage = useStorage(engine);

  beforeEach(async () => {
    await storage.open.write(async ({ query }) => {
      await query.deleteFrom("key_buckets").execute();
      await query.deleteFrom("accounts").execute();
      await query.deleteFrom("changes").execute();
    });
    storage.changes = [];
  });

  const write = <Result>(work: (transaction: WriteTransaction) => Promise<Result>) => storage.open.write(work);
  const accountNames = async () => {
    const rows = await storage.open.reads.query.selectFrom("accounts").select("name").orderBy("seq").execute();
    return rows.map((row) => row.name);
  };
  const storedChanges = async () => {
    const rows = await storage.open.reads.query.selectFrom("changes").selectAll().orderBy("seq").execute();
    return rows.map((row) => row.subject);
  };

  test("a write is visible immediately, and its result is returned", async () => {
    const seq = await write((transaction) => transaction.insert("accounts", accountRow("one")));
    const find = (name: string) => storage.open.reads.one("SELECT seq FROM accounts WHERE name = ?", [name]);
    expect(await find("one")).toEqual({ seq });
    expect(await find("two")).toBeUndefined();
    expect(await accountNames()).toEqual(["one"]);
  });

  test("work that fails writes nothing, and publishes no change", async () => {
    const failing = write(async (transaction) => {
      await transaction.insert("accounts", accountRow("one"));
      transaction.record(change("one"));
      throw new Problem("conflict");
    });
    await expect(failing).rejects.toMatchObject({ code: "conflict" });
    expect(await accountNames()).toEqual([]);
    expect(await storedChanges()).toEqual([]);
    expect(storage.changes).toEqual([]);
  });

  test("changes are stored with the write, and published before it returns", async () => {
    storage.clock.set("2026-05-01T00:00:00Z");
    await write(async (transaction) => {
      transaction.record({ ...change("one"), accountSeq: 7 });
      transaction.record(change("two"));
      expect(storage.changes).toEqual([]);
    });
    expect(storage.changes).toEqual([{ ...change("one"), accountSeq: 7 }, change("two")]);
    const [first] = await storage.open.reads.query.selectFrom("changes").selectAll().orderBy("seq").execute();
    expect(first).toMatchObject({
      at: storage.clock.now(),
      account_seq: 7,
      actor: "system",
      kind: "token.deleted",
      subject: "one",
      data: '{"hash":"ab"}',
    });
  });

  test("reports how a transaction ended: before its changes are published, and for each attempt once", async () => {
    const ends: string[] = [];
    const publishedAt: number[] = [];
    const job = (name: string, fails: boolean) =>
      write(async (transaction) => {
        transaction.onEnd((outcome) => {
          ends.push(`${name} ${outcome}`);
          publishedAt.push(storage.changes.filter(({ subject }) => subject === name).length);
        });
        await transaction.insert("accounts", accountRow(name));
        transaction.record(change(name));
        if (fails) throw new Problem("conflict");
      }).catch(() => {});
    await job("one", false);
    expect(ends).toEqual(["one committed"]);
    await job("two", true);
    expect(ends).toEqual(["one committed", "two rolledBack"]);
    ends.length = 0;
    await Promise.all([job("three", false), job("four", true), job("five", false)]);
    const endsOf = (name: string) => ends.filter((end) => end.startsWith(name)).map((end) => end.split(" ")[1]);
    for (const name of ["three", "five"]) {
      expect(endsOf(name).at(-1)).toBe("committed");
      expect(endsOf(name).filter((outcome) => outcome === "committed")).toHaveLength(1);
    }
    expect(endsOf("four").length).toBeGreaterThan(0);
    expect(new Set(endsOf("four"))).toEqual(new Set(["rolledBack"]));
    expect(publishedAt.every((count) => count === 0)).toBe(true);
    expect(await accountNames()).toEqual(["one", "three", "five"]);
  });

  test("writes that arrive together each succeed or fail by themselves", async () => {
    const requests = Array.from({ length: 40 }, (_, index) => ({
      subject: `request ${index}`,
      // Every fourth transaction inserts the name of the previous one.
      name: `account-${index % 4 === 3 ? index - 1 : index}`,
      changesItsMind: index % 5 === 0,
    }));
    const outcomes = await Promise.allSettled(
      requests.map((request) =>
        write(async (transaction) => {
          await transaction.insert("accounts", accountRow(request.name));
          transaction.record(change(request.subject));
          if (request.changesItsMind) throw new Error("changed my mind");
          return request;
        }),
      ),
    );
    const succeeded = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    const wanted = new Set(requests.filter((request) => !request.changesItsMind).map((request) => request.name));
    expect(sorted(await accountNames())).toEqual(sorted([...wanted]));
    expect(sorted(succeeded.map((request) => request.name))).toEqual(sorted([...wanted]));
    expect(sorted(await storedChanges())).toEqual(sorted(succeeded.map((request) => request.subject)));
    expect(sorted(storage.changes.map((change) => change.subject))).toEqual(sorted(await storedChanges()));
  });

  test("several statements run together, or none", async () => {
    const insert = (name: string) => ({
      sql: "INSERT INTO accounts (id, name, version, created_on, updated_on) VALUES (?, ?, ?, ?, ?)",
      parameters: Object.values(accountRow(name)),
    });
    const rename = (from: string, to: string) => ({
      sql: "UPDATE accounts SET name = ? WHERE name = ?",
      parameters: [to, from],
    });
    await write((transaction) => transaction.runAll([]));
    await write((transaction) => transaction.runAll([insert("one")]));
    await write((transaction) => transaction.runAll([insert("two"), rename("one", "first"), insert("three")]));
    expect((await accountNames()).sort()).toEqual(["first", "three", "two"]);
    const failing = write((transaction) => transaction.runAll([rename("two", "second"), insert("first")]));
    await expect(failing).rejects.toThrow(UniqueViolation);
    expect((await accountNames()).sort()).toEqual(["first", "three", "two"]);
  });

  test("a row is changed and deleted by its seq; undefined values change nothing", async () => {
    const [one, two] = await write((transaction) => transaction.insertAll("accounts", ["one", "two"].map(accountRow)));
    await write((transaction) => transaction.update("accounts", one!, { name: "first", version: undefined }));
    await write((transaction) => transaction.update("accounts", two!, { name: undefined }));
    expect(await accountNames()).toEqual(["first", "two"]);
    const row = await storage.open.reads.one<object>("SELECT version FROM accounts WHERE seq = ?", [one]);
    expect(row).toEqual({ version: 1 });
    const taken = write((transaction) => transaction.update("accounts", two!, { name: "first" }));
    await expect(taken).rejects.toBeInstanceOf(UniqueViolation);
    await write((transaction) => transaction.delete("accounts", one!));
    expect(await accountNames()).toEqual(["two"]);
  });

  test("many rows are inserted together, or none", async () => {
    const rows = Array.from({ length: 2500 }, (_, index) => accountRow(`account-${index}`));
    await write((transaction) => transaction.insertAll("accounts", rows));
    expect(await accountNames()).toHaveLength(2500);
    const more = [...Array.from({ length: 1500 }, (_, index) => accountRow(`more-${index}`)), accountRow("account-0")];
    const failing = write((transaction) => transaction.insertAll("accounts", more));
    await expect(failing).rejects.toBeInstanceOf(UniqueViolation);
    expect(await accountNames()).toHaveLength(2500);
    await write((transaction) => transaction.insertAll("accounts", []));
  });

  describe("database constraints", () => {
    test("a name in use is a unique violation with the same constraint name on every engine", async () => {
      const twice = write(async (transaction) => {
        await transaction.insert("accounts", accountRow("one"));
        await transaction.insert("accounts", accountRow("one"));
      });
      await expect(twice).rejects.toMatchObject({ constraint: "accounts_name_key" });
      await expect(twice).rejects.toBeInstanceOf(UniqueViolation);
      expect(await accountNames()).toEqual([]);
    });

    test("a constraint over two columns has the same name on every engine", async () => {
      const twice = write(async (transaction) => {
        const accountSeq = await transaction.insert("accounts", accountRow("one"));
        for (let index = 0; index < 2; index++) await transaction.insert("key_buckets", bucketRow(accountSeq));
      });
      await expect(twice).rejects.toMatchObject({ constraint: "key_buckets_account_seq_name_key" });
    });

    test("a row with a dangling reference is a reference violation, and so is deleting a referenced row", async () => {
      const orphan = write((transaction) => transaction.insert("key_buckets", bucketRow(999_999)));
      await expect(orphan).rejects.toBeInstanceOf(ReferenceViolation);
      const seq = await write(async (transaction) => {
        const accountSeq = await transaction.insert("accounts", accountRow("one"));
        await transaction.insert("key_buckets", bucketRow(accountSeq));
        return accountSeq;
      });
      const removal = write(({ query }) => query.deleteFrom("accounts").where("seq", "=", seq).execute());
      await expect(removal).rejects.toBeInstanceOf(ReferenceViolation);
      expect(await accountNames()).toEqual(["one"]);
    });
  });

  test("a lock has one holder at a time, and is free when its transaction has ended", async () => {
    let holders = 0;
    const attempts = await Promise.all(
      Array.from({ length: 10 }, () =>
        write(async (transaction) => {
          const locked = await transaction.tryLock("a name");
          if (locked) holders += 1;
          expect(holders).toBeLessThanOrEqual(1);
          await transaction.query.selectFrom("accounts").select("seq").execute();
          if (locked) holders -= 1;
          return locked;
        }),
      ),
    );
    expect(attempts).toContain(true);
    expect(await write((transaction) => transaction.tryLock("a name"))).toBe(true);
  });
});

function sorted(texts: string[]): string[] {
  return texts.toSorted();
}

function bucketRow(accountSeq: number) {
  return {
    id: "bckt_1",
    account_seq: accountSeq,
    name: "main",
    description: null,
    tags: null,
    is_retrievable: 1,
    key_prefix: "tg",
    version: 1,
    created_on: 1,
    updated_on: 1,
  };
}
