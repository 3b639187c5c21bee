import { beforeEach, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { nextNumber } from "../../../areas/billing/invoices/invoice-store.ts";
import { forUpdate } from "../query.ts";
import type { WriteTransaction } from "../storage.ts";

type Work<Result> = (transaction: WriteTransaction) => Promise<Result>;

function accountRow(name: string, version = 1) {
  return { id: `acct_${name}`, name, version, created_on: 1, updated_on: 1 };
}

const names = ["one", "two", "three", "four", "five"];
const withName = "SELECT seq, name, version FROM accounts WHERE name = ?";

eachEngine((engine) => {
  let statements = 0;
  const counted = () => {
    statements += 1;
  };
  const observer = { operation: counted, group: () => {}, revocationLag: () => {} };
  const storage = useStorage(engine, { observer });

  beforeEach(async () => {
    await storage.open.write(({ query }) => query.deleteFrom("accounts").execute());
  });

  const together = <Result>(works: Work<Result>[]) => storage.open.write((transaction) => transaction.together(works));
  const versions = async () =>
    (await storage.open.reads.all<{ version: number }>("SELECT version FROM accounts ORDER BY seq", [])).map(
      ({ version }) => version,
    );
  const create = () => together(names.map((name) => (own) => own.insert("accounts", accountRow(name))));

  test("each work has the results of its own statements", async () => {
    const seqs = await create();
    expect(new Set(seqs).size).toBe(names.length);
    const read = await together(
      [...names, "one", "missing"].map((name) => async (own) => ({
        row: await own.one<{ seq: number }>(withName, [name]),
        // Some have more statements than others, so they do not stay in step.
        same: name === "two" ? await own.one(withName, ["three"]) : undefined,
        after: await own.all<{ name: string }>(
          "SELECT name FROM accounts WHERE seq > ? AND name <> ? ORDER BY name DESC LIMIT ?",
          [seqs[names.indexOf(name)] ?? 0, "four", 2],
        ),
        built: await own.query.selectFrom("accounts").select("name").where("name", "in", [name, "x"]).execute(),
      })),
    );
    const sortedAfter = (name: string) =>
      names
        .slice(names.indexOf(name) + 1)
        .filter((each) => each !== "four")
        .toSorted()
        .toReversed()
        .slice(0, 2);
    for (const [index, name] of [...names, "one"].entries()) {
      const { row, same, after, built } = read[index]!;
      expect(row).toEqual({ seq: seqs[names.indexOf(name)]!, name, version: 1 } as { seq: number });
      expect(same).toEqual(name === "two" ? { seq: seqs[2], name: "three", version: 1 } : undefined);
      expect(after.map((each) => each.name)).toEqual(sortedAfter(name));
      expect(built).toEqual([{ name }]);
    }
    expect(read.at(-1)).toMatchObject({ row: undefined, built: [] });
    expect(read[0]!.row).not.toBe(read[5]!.row);
  });

  test("each work changes its own rows and reads what it has changed", async () => {
    const seqs = await create();
    const results = await together(
      seqs.map((seq, index) => async (own) => {
        await own.query.updateTable("accounts").set({ version: index }).where("seq", "=", seq).execute();
        await own.run("UPDATE accounts SET version = version + ?, updated_on = ? WHERE seq = ?", [10, 7, seq]);
        const missing = own.query
          .updateTable("accounts")
          .set({ version: 1 })
          .where("seq", "=", -1 - seq);
        const { numUpdatedRows } = await missing.executeTakeFirstOrThrow();
        const row = await own.one<{ version: number }>(forUpdate(own, withName), [names[index]]);
        return [row!.version, numUpdatedRows];
      }),
    );
    expect(results).toEqual(names.map((_, index) => [index + 10, 0n]));
    expect(await versions()).toEqual([10, 11, 12, 13, 14]);
  });

  test("works that change the same row do so one after the other", async () => {
    const [seq] = await create();
    const raise = "UPDATE accounts SET version = version + ? WHERE seq = ?";
    await together(names.map((_, index) => (own) => own.run(raise, [10 ** index, seq])));
    expect((await versions())[0]).toBe(11_112);
  });

  test("each work that raises a counter gets a value of its own, without gaps", async () => {
    const [account, other] = await create();
    const next = (accountSeq: number) => (own: WriteTransaction) => nextNumber(own, accountSeq, "I-");
    expect(await together(names.map(() => next(account!)))).toEqual([1, 2, 3, 4, 5]);
    expect(await together([next(account!), next(other!), next(account!)])).toEqual([6, 1, 7]);
    expect(await together([next(account!), next(account!)])).toEqual([8, 9]);
  });

  test("if one work fails, the others stop and nothing is stored", async () => {
    const ended: string[] = [];
    let reads = 0;
    const works = names.map((name) => async (own: WriteTransaction) => {
      try {
        await own.insert("accounts", accountRow(name));
        if (name === "three") throw new Error("one of them");
        for (let index = 0; index < 50; index += 1) {
          await own.one(withName, [name]);
          reads += 1;
        }
      } finally {
        ended.push(name);
      }
    });
    await expect(together(works)).rejects.toThrow("one of them");
    expect(await versions()).toEqual([]);
    const started = engine.name === "postgres" ? names : names.slice(0, 3);
    expect(ended.toSorted()).toEqual(started.toSorted());
    expect(reads).toBeLessThanOrEqual(100);
  });

  if (engine.name === "postgres") {
    test("statements with the same text are sent as one", async () => {
      const [accountSeq] = await create();
      const work = (name: string) => async (own: WriteTransaction) => {
        await own.one(withName, [name]);
        await own.run("UPDATE accounts SET version = version + 1 WHERE seq = ?", [names.indexOf(name)]);
        await nextNumber(own, accountSeq!, "I-");
      };
      const cost = async (works: Work<void>[]) => {
        await together(works);
        statements = 0;
        await together(works);
        return statements;
      };
      expect(await cost(names.map(work))).toBe(await cost([work("one")]));
    });

    test("a row that another transaction has locked is read as that transaction leaves it", async () => {
      await create();
      const locked = Promise.withResolvers<void>();
      const change = Promise.withResolvers<void>();
      const other = storage.open.write(async (transaction) => {
        await transaction.run("UPDATE accounts SET version = 50 WHERE name = ?", ["three"]);
        locked.resolve();
        await change.promise;
      });
      await locked.promise;
      const reading = together(
        names.map((name) => async (own) => {
          const row = await own.one<{ version: number }>(forUpdate(own, withName), [name]);
          await own.run("UPDATE accounts SET version = version + 1 WHERE name = ?", [name]);
          return row!.version;
        }),
      );
      const waiting =
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      while ((await storage.open.reads.all(waiting, [])).length === 0);
      change.resolve();
      await other;
      expect(await reading).toEqual([1, 1, 50, 1, 1]);
      expect(await versions()).toEqual([2, 2, 51, 2, 2]);
    });
  }
});
