import { expect, test } from "bun:test";
import { recordingStatements } from "../../../../../test/support/counted-statements.ts";
import { eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { KeyAccount } from "../../../../../test/support/key-rules.ts";
import { unique, usageEvent } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { RateLimitWindows } from "../../../../counting/limits/windows.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import type { Hold } from "../../../../counting/quotas/hold.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { Keyring } from "../../../../lib/crypto/keyring.ts";
import { generateSecret } from "../../../../lib/crypto/secret-text.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { KeyBucketDirectory } from "../../../api-keys/key-buckets/directory.ts";
import { KeyVerifier } from "../../../api-keys/keys/verification/verifier.ts";
import { announceRenewals } from "../../../operations/webhooks/events/subscription-times.ts";
import { announceThresholds } from "../../../operations/webhooks/events/timed-events.ts";
import { Webhooks } from "../../../operations/webhooks/webhooks.ts";
import { TopUps } from "../../billing/packs/top-ups.ts";
import { openQuotaLedger } from "../quotas/quota-source.ts";
import { Quotas } from "../quotas/quotas.ts";
import { expireHolds } from "../takes/holds.ts";
import { UsageEvents } from "./events.ts";

const one = new Map([["requests", amountOf(1)!]]);

/** On SQLite, many rows are several statements with different numbers of them. */
const kindOf = (statement: string) => statement.replace(/\((?:\?, )*\?\)(?:, \((?:\?, )*\?\))*/g, "(?)");
const rowsPerStatement = 64;

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** Customers of one bucket, each with a subscription to one of two plans. Most are copies of the first ones. */
  async function customers(count: number) {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const plans = [
      await account.plan({ requests: { max: 10 } }),
      await account.plan({ requests: { max: 20 }, mb: { max: 5 } }),
    ];
    const firsts = [
      await account.subscribe(plans[0]!, unique("customer")),
      await account.subscribe(plans[1]!, unique("customer")),
    ];
    const copies = Array.from({ length: count - 2 }, (_, index) => {
      const { row, plans } = firsts[index % 2]!;
      const name = unique("customer");
      return { plans, row: { ...row, id: `${row.id}-${index}`, customer_key: name, external_id: name } };
    });
    await open.write(async (transaction) => {
      await transaction.insertAll(
        "subscriptions",
        copies.map(({ row: { seq, ...row } }) => row),
      );
      const stored = await transaction.all<{ seq: number; id: string }>(
        "SELECT seq, id FROM subscriptions WHERE bucket_seq = ?",
        [account.bucket.seq],
      );
      const seqs = new Map(stored.map(({ seq, id }) => [id, seq]));
      for (const { row } of copies) row.seq = seqs.get(row.id)!;
      await transaction.insertAll(
        "subscription_plans",
        copies.map(({ row, plans }) => ({ subscription_seq: row.seq, position: 0, plan_seq: plans[0]!.seq })),
      );
    });
    const subscriptions = [...firsts, ...copies];
    return { account, keys: subscriptions.map(({ row }) => row.customer_key), subscriptions };
  }
  type Customers = Awaited<ReturnType<typeof customers>>;

  /**
   * Returns the number of different statements of the work for 200 customers, and expects the same for 2,000. On SQLite,
   * where a statement has a limited number of rows, each as often as these need.
   * @param maximumTimes how often each is run at most: more than once if the work is divided among transactions
   */
  async function statementsOf(
    work: (customers: Customers, recorded: Storage) => Promise<() => Promise<void>>,
    maximumTimes = 1,
  ) {
    const kinds: number[] = [];
    for (const count of [200, 2_000]) {
      const { storage: recorded, statements } = recordingStatements(storage.open);
      const measured = await work(await customers(count), recorded);
      statements.length = 0;
      await measured();
      const times = Map.groupBy(statements, kindOf)
        .values()
        .map(({ length }) => length);
      const most = maximumTimes + (engine === postgres ? 0 : Math.ceil(count / rowsPerStatement) + 3 * maximumTimes);
      expect(Math.max(...times), statements.join("\n").slice(0, 10_000)).toBeLessThanOrEqual(most);
      kinds.push(new Set(statements.map(kindOf)).size);
    }
    expect(kinds[1]).toBe(kinds[0]!);
    return kinds[0]!;
  }

  test("a flush of the ledger has as many statements for many customers as for few", async () => {
    const count = await statementsOf(async ({ account, keys, subscriptions }, recorded) => {
      const ledger = openQuotaLedger(recorded, storage.clock);
      const take = async (isShared: boolean) => {
        const now = storage.clock.now();
        const places = keys.map((key) => customerPlace(account.account.seq, account.bucket.id, key));
        for (const quota of await Promise.all(places.map((place) => ledger.find(place, now)))) {
          const hold = quota.hold(one, { isShared }) as Hold;
          if (!isShared) hold.settle();
        }
      };
      await take(false);
      await take(true);
      return async () => {
        await ledger.flush();
        expect(ledger.unwritten).toBe(0);
        expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 1 });
      };
    });
    // The batch, counters, hours and days, and holds.
    expect(count).toBeLessThan(12);
  });

  test("a large flush takes several transactions", async () => {
    const { account, keys } = await customers(3);
    const ledger = openQuotaLedger(storage.open, storage.clock);
    const quota = await ledger.find(
      customerPlace(account.account.seq, account.bucket.id, keys[0]!),
      storage.clock.now(),
    );
    const { subscriptionSeq, periodStart, periodEnd } = quota.heldIn!;
    const meters = Array.from({ length: 12_000 }, (_, index) => `meter_${index}`);
    const place = { subscriptionSeq, periodStart, periodEnd };
    for (const meter of meters) ledger.takeOver(place, { amounts: new Map([[meter, 1n]]), isShared: false }).settle();
    const sizes: number[] = [];
    const { write } = storage.open;
    storage.open.write = (work) =>
      write((transaction) => {
        let size = 0;
        const all: typeof transaction.all = async (sql, parameters) => {
          const rows = await transaction.all(sql, parameters);
          if (sql.includes("INTO usage_counters")) size += rows.length;
          return rows as never;
        };
        transaction.onEnd(() => sizes.push(size));
        return work({ ...transaction, all });
      });
    await ledger.flush();
    storage.open.write = write;
    expect(sizes).toEqual([5_000, 5_000, 2_000]);
    expect(ledger.unwritten).toBe(0);
  });

  test("a batch of events has as many statements for many customers as for few", async () => {
    const count = await statementsOf(async ({ account, keys, subscriptions }, recorded) => {
      const events = new UsageEvents(recorded);
      const items = (source: string) => keys.map((subject) => usageEvent({ requests: 2 }, { source, subject }));
      const send = (source: string) =>
        events.ingest({ act: account.act, bucketId: account.bucket.id, items: items(source) });
      // Plans are read once for each version.
      await send("first");
      return async () => {
        expect(await send("second")).toEqual({ accepted: keys.length, duplicates: 0, rejected: [] });
        expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 4 });
      };
    });
    // The bucket, subscriptions, plans, events with keys, counters, hours with days, and marks.
    expect(count).toBe(engine === postgres ? 7 : 8);
  });

  test("a group of consumed quotas has as many statements for many customers as for few", async () => {
    const count = await statementsOf(async ({ account, subscriptions }, recorded) => {
      const quotas = new Quotas(recorded, openQuotaLedger(storage.open, storage.clock));
      const consume = () =>
        Promise.all(
          subscriptions.map(({ row }) =>
            quotas.consume({ act: account.act, bucketId: account.bucket.id, subscriptionId: row.id, amounts: one }),
          ),
        );
      // Plans are read once for each version.
      await consume();
      return async () => {
        const consumed = await consume();
        expect(consumed.every(({ allowed, meters }) => allowed && meters.requests!.used === 2)).toBe(true);
        expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 2 });
      };
    }, 8);
    // The bucket, subscriptions, plans, totals, counters, and hours with days.
    expect(count).toBe(6);
  });

  test("quotas that are needed at once are loaded with as many statements for many customers as for few", async () => {
    const count = await statementsOf(async ({ account, keys }, recorded) => {
      const ledger = openQuotaLedger(recorded, storage.clock);
      const find = (some: string[]) =>
        Promise.all(
          some.map((key) =>
            ledger.find(customerPlace(account.account.seq, account.bucket.id, key), storage.clock.now()),
          ),
        );
      // The bucket and both plans are read once.
      await find(keys.slice(0, 2));
      return async () => {
        for (const quota of await find(keys.slice(2))) expect(quota.owner).toBeDefined();
      };
    });
    // Subscriptions, their plans, and totals.
    expect(count).toBe(3);
  });

  test("jobs of a month's end have as many statements for many customers as for few", async () => {
    const { clock } = storage;
    // Without any, the ends of periods write nothing.
    const other = await MeteringAccount.create(storage.open, clock);
    const webhooks = new Webhooks(new Keyring([Buffer.alloc(32)]), "public");
    await storage.open.write((transaction) =>
      webhooks.create(transaction, other.act, { url: "https://example.com/", events: ["subscription.renewed"] }),
    );
    const renew = (open: Storage) => announceRenewals(open, clock.now(), new AbortController().signal);
    const due = "SELECT count(*) AS count FROM subscriptions WHERE renews_on <= ?";
    const renewals = await statementsOf(async ({ account }, recorded) => {
      await renew(storage.open);
      const now = clock.now();
      const sql = "UPDATE subscriptions SET renews_on = ? WHERE bucket_seq = ?";
      await storage.open.write((transaction) => transaction.run(sql, [now, account.bucket.seq]));
      return async () => {
        await renew(recorded);
        expect(await storage.open.reads.one(due, [now])).toEqual({ count: 0 });
      };
    }, 10);
    const topUps = await statementsOf(async ({ subscriptions }, storage) => {
      const heldSubscriptions = () => subscriptions.map(({ row }) => row.seq);
      const page = { url: () => "", returnUrl: "" };
      return () =>
        new TopUps({ storage, clock, heldIn: () => undefined, heldSubscriptions, page, failed: () => {} }).start();
    });
    expect({ renewals, topUps }).toEqual({ renewals: engine === postgres ? 6 : 5, topUps: 1 });
  });

  test("holds of many customers expire with as many statements as those of few", async () => {
    const count = await statementsOf(async ({ account, keys, subscriptions }, recorded) => {
      const now = storage.clock.now();
      const items = keys.map((subject) => usageEvent({ requests: 5 }, { subject }));
      await new UsageEvents(storage.open).ingest({ act: account.act, bucketId: account.bucket.id, items });
      const [counter] = await storage.open.reads.all<{ period_start: number }>(
        "SELECT period_start FROM usage_counters WHERE subscription_seq = ?",
        [subscriptions[0]!.row.seq],
      );
      const counted = JSON.stringify([["requests", String(amountOf(2))]]);
      const amounts = { state: "open", on_expiry: "release", held: counted, counted } as const;
      const place = { bucket_seq: account.bucket.seq, period_start: counter!.period_start };
      const times = { time: now, created_on: now, expires_on: now };
      const ids = subscriptions.map(({ row }) => ({ id: unique("hold"), subscription_seq: row.seq }));
      const holds = ids.map((each) => ({ ...each, ...place, ...times, ...amounts }));
      await storage.open.write((transaction) => transaction.insertAll("metering_holds", holds));
      return async () => {
        await expireHolds(recorded, now);
        expect(await account.used(subscriptions.at(-1)!)).toMatchObject({ requests: 3 });
        const expired = "SELECT count(*) AS count FROM metering_holds WHERE bucket_seq = ? AND state = 'expired'";
        expect(await storage.open.reads.one(expired, [account.bucket.seq])).toEqual({ count: keys.length });
      };
    }, 11);
    // The expired, subscriptions, holds twice, counters, hours with days, and marks.
    expect(count).toBeLessThan(10);
  });

  test("thresholds of many counters are announced with as many statements as those of few", async () => {
    const { clock } = storage;
    const count = await statementsOf(async ({ account, subscriptions }, recorded) => {
      const webhooks = new Webhooks(new Keyring([Buffer.alloc(32)]), "public");
      await storage.open.write((transaction) =>
        webhooks.create(transaction, account.act, { url: "https://example.com/", events: ["quota.threshold"] }),
      );
      const announce = (open: Storage) => announceThresholds(open, clock.now(), new AbortController().signal);
      await announce(storage.open);
      const events = new UsageEvents(storage.open);
      const items = subscriptions.map(({ row }) => usageEvent({ requests: 10 }, { subject: row.customer_key }));
      await events.ingest({ act: account.act, bucketId: account.bucket.id, items });
      return async () => {
        await announce(recorded);
        const sql = "SELECT body FROM webhook_messages WHERE account_seq = ?";
        const messages = await storage.open.reads.all<{ body: string }>(sql, [account.account.seq]);
        const announced = Map.groupBy(messages, ({ body }) => JSON.parse(body).data.threshold);
        expect(announced.get(50)).toHaveLength(subscriptions.length / 2);
        expect(announced.get(100)).toHaveLength(subscriptions.length / 2);
      };
    }, 4);
    // One of them locks the webhooks that get the messages.
    expect(count).toBe(15);
  });

  test("keys that are used for the first time at once are found with one statement", async () => {
    const keys = await KeyAccount.create(storage);
    const consumers = [];
    for (let index = 0; index < 20; index++) consumers.push(await keys.consumer("main"));
    const { storage: recorded, statements } = recordingStatements(storage.open);
    const verifier = new KeyVerifier(
      recorded,
      new KeyBucketDirectory(recorded),
      1024 * 1024,
      new RateLimitWindows(recorded),
    );
    const place = verifier.buckets.place(keys.account.seq, "main");
    const verify = (key: string) => verifier.verify(place, key, storage.clock.now());
    await verify(consumers[0]!.key);
    statements.length = 0;
    const values = consumers.slice(1).map(({ key }) => key);
    const verdicts = await Promise.all([...values, ...values, generateSecret("tgt")].map(verify));
    for (const [index, { known }] of verdicts.entries()) {
      const holder = index < 2 * values.length ? consumers[1 + (index % values.length)]!.consumer : undefined;
      expect(known?.identity.consumerId).toBe(holder?.id);
    }
    expect(new Set(statements.map(kindOf)).size).toBe(1);
  });
});
