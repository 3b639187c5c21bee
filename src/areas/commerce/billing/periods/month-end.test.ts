import { expect, test } from "bun:test";
import { recordingStatements } from "../../../../../test/support/counted-statements.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import type { CountsInMemory } from "../../../../platform/storage/run-again.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { createSubscription } from "../../subscriptions/subscriptions.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue, settleDueCredits } from "./billing-job.ts";
import { addGrant } from "./grant-actions.ts";
import { billingHooks } from "./subscription-hooks.ts";

const day = 24 * 60 * 60 * 1000;
const price = {
  price: { currency: "EUR", amount: "10.00", interval: "month" },
  rates: { requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] } },
};

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** Paying customers of one account whose month ends at the same time. */
  async function customers(count: number) {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { act, bucket } = account;
    const seller = { legalName: "Seller", address: { line1: "Hauptstr. 1", city: "Berlin", country: "DE" } };
    await open.write((transaction) =>
      setProfile(transaction, act, { ...seller, numberPrefix: "I-", termsDays: 365, graceDays: 3 }, () => {}),
    );
    const plan = await account.plan({ requests: { max: 5 } }, price);
    const keys = Array.from({ length: count }, () => unique("customer"));
    const subscribe = (customerKey: string) => async (transaction: WriteTransaction) => {
      const created = await createSubscription(
        { transaction, act, bucket },
        {
          planIds: [plan.id],
          planExternalIds: [plan.external_id],
          status: "active",
          renewalStrategy: "monthly",
          region: "europe-west4",
          customerKey,
          subscriptionExternalId: customerKey,
          customerExternalId: customerKey,
        },
      );
      await billingHooks.created({ transaction, act, bucket }, created);
    };
    await open.write(async (transaction) => {
      for (const key of keys) await subscribe(key)(transaction);
    });
    return { account, keys };
  }
  const bill = (open: Storage, elapsed?: () => number) =>
    billDue(
      open,
      storage.clock,
      (error) => {
        throw error;
      },
      undefined,
      elapsed,
    );
  const invoicesIn = async ({ bucket }: MeteringAccount) => {
    const sql = "SELECT count(*) AS count FROM invoices WHERE bucket_seq = ?";
    return Number((await storage.open.reads.one<{ count: number }>(sql, [bucket.seq]))!.count);
  };

  test("renewals neither evict quotas nor stop what is counted in memory, except with credits", async () => {
    const { account, keys } = await customers(4);
    const { act, bucket } = account;
    const [rich] = keys;
    const grant = { meter: "requests", amount: 10, funding: "promotional" } as const;
    await storage.open.write((transaction) => addGrant({ transaction, act, bucket }, rich!, grant as never));
    storage.clock.advance(32 * day);
    const stopped = new Set<number>();
    const counts: CountsInMemory = {
      stop(seqs) {
        for (const seq of seqs) stopped.add(seq);
        return undefined;
      },
    };
    storage.open.countsInMemory.add(counts);
    storage.changes.length = 0;
    await bill(storage.open);
    expect(await invoicesIn(account)).toBe(8);
    const evicted = storage.changes.filter(({ kind }) => kind === "subscription.updated");
    expect(new Set(evicted.map(({ data }) => (data as { customerKey: string }).customerKey))).toEqual(new Set([rich!]));
    expect(stopped.size).toBe(1);
    storage.open.countsInMemory.delete(counts);
  });

  test("one transaction bills many customers, within its time", async () => {
    const { account } = await customers(20);
    storage.clock.advance(32 * day);
    const { write } = storage.open;
    const billedBy: number[] = [];
    storage.open.write = async (work) => {
      const before = await invoicesIn(account);
      const result = await write(work);
      billedBy.push((await invoicesIn(account)) - before);
      return result;
    };
    try {
      await bill(storage.open, () => 0);
      expect(billedBy.filter((invoices) => invoices > 0)).toEqual([20]);
      billedBy.length = 0;
      storage.clock.advance(32 * day);
      // Each look at the time takes 4 ms.
      let now = 0;
      await bill(storage.open, () => (now += 4));
      if (engine.name === "sqlite") expect(Math.max(...billedBy)).toBeLessThan(8);
      expect(await invoicesIn(account)).toBe(60);
    } finally {
      storage.open.write = write;
    }
  });

  if (engine.name === "postgres")
    test("customers are billed with a number of statements that does not depend on how many they are", async () => {
      const statementsFor = async (count: number) => {
        await storage.open.write(({ run }) => run("UPDATE subscriptions SET bills_on = NULL", []));
        const { account } = await customers(count);
        storage.clock.advance(32 * day);
        const { storage: recorded, statements } = recordingStatements(storage.open);
        await bill(recorded);
        expect(await invoicesIn(account)).toBe(2 * count);
        return statements.length;
      };
      const few = await statementsFor(10);
      const many = await statementsFor(100);
      expect({ few, many }).toEqual({ few, many: few });
      expect(many / 100).toBeLessThan(0.5);
    });

  if (engine.name === "postgres")
    test.each(["each hour", "when grants expire"])(
      "credits of many customers are settled in one book %s",
      async (when) => {
        const { open, clock } = storage;
        const expires = when === "when grants expire";
        const statementsFor = async (count: number) => {
          // Those of other tests.
          await open.write(({ run }) => run("UPDATE customer_credits SET checks_on = NULL", []));
          const { account, keys } = await customers(count);
          const { act, bucket } = account;
          const expiresOn = expires ? act.now + 30 * 60 * 1000 : undefined;
          const grant = { meter: "requests", amount: 20, funding: "promotional", expiresOn } as const;
          await open.write(async (transaction) => {
            for (const key of keys) await addGrant({ transaction, act, bucket }, key, grant as never);
          });
          const subscriptions = await open.reads.all<{ seq: number; period: number }>(
            "SELECT seq, quota_reset_anchor AS period FROM subscriptions WHERE bucket_seq = ?",
            [bucket.seq],
          );
          const amount = amountOf(12)!;
          const change = { meter: "requests", events: 1, amount, consumed: 0n, hours: new Map([[act.now, amount]]) };
          const changes = subscriptions.map((each) => ({
            ...change,
            subscriptionSeq: each.seq,
            periodStart: each.period,
          }));
          await open.write((transaction) => raiseCounters(transaction, changes));
          clock.advance((expires ? 30 : 60) * 60 * 1000);
          const { storage: recorded, statements } = recordingStatements(open);
          await settleDueCredits(recorded, clock, (error) => {
            throw error;
          });
          const grants = await open.reads.all<object>(
            `SELECT DISTINCT balance, ended_on, (SELECT CAST(SUM(CAST(amount AS bigint)) AS text) FROM grant_entries
             WHERE grant_seq = grants.seq AND kind = 'expired') AS expired FROM grants WHERE bucket_seq = ?`,
            [bucket.seq],
          );
          // 12 were used, 5 of them within the maximum.
          const left = String(amountOf(13));
          expect(grants).toEqual(
            expires
              ? [{ balance: "0", ended_on: expiresOn!, expired: `-${left}` }]
              : [{ balance: left, ended_on: null, expired: null }],
          );
          return statements.length;
        };
        const few = await statementsFor(10);
        const many = await statementsFor(100);
        expect({ few, many }).toEqual({ few, many: few });
        expect(many / 100).toBeLessThan(0.5);
      },
    );

  if (engine.name === "postgres")
    test("a customer whose renewals of a year are late is billed in one load and one save", async () => {
      await storage.open.write(({ run }) => run("UPDATE subscriptions SET bills_on = NULL", []));
      const { account } = await customers(1);
      storage.clock.advance(366 * day);
      const { storage: recorded, statements } = recordingStatements(storage.open);
      await bill(recorded, () => 0);
      // That of the first month, and those of 12 renewals.
      expect(await invoicesIn(account)).toBe(13);
      const sql = "SELECT count(DISTINCT number) AS numbers FROM invoices WHERE bucket_seq = ? AND total = '1000'";
      expect(Number((await storage.open.reads.one<{ numbers: number }>(sql, [account.bucket.seq]))!.numbers)).toBe(13);
      expect(statements.filter((statement) => statement === "tryLockAll")).toHaveLength(1);
      expect(statements.length).toBeLessThan(60);
    });
});
