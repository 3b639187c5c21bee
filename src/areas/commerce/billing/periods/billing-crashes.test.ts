import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Engine, eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { type Death, Died, mortalStorage } from "../../../../../test/support/mortal-storage.ts";
import { type TestStorage, useStorage } from "../../../../../test/support/storage.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { saveRow } from "../../../../platform/storage/query.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { setPaymentMethod } from "../customers/customers.ts";
import { createPack } from "../packs/packs.ts";
import { purchasePack } from "../packs/purchases.ts";
import { TopUps } from "../packs/top-ups.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue, settleDueCredits } from "./billing-job.ts";
import { addGrant, changeCustomer } from "./grant-actions.ts";
import { billingHooks } from "./subscription-hooks.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const planWith = (overage: "bill" | "prepaid") => ({
  price: { currency: "EUR", amount: "10.00", interval: "month" },
  rates: { requests: { overage, tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] } },
  rollover: { requests: { maximum: 60, periods: 2 } },
});
const price = { currency: "EUR", amount: "9.00" };
const packs = [
  { packExternalId: "units", label: "Units", price, grant: { meter: "requests", amount: 200, expiresInDays: 20 } },
  { packExternalId: "money", label: "Money", price, grant: { currency: "EUR", amount: "10.00" } },
];
const maximumPerMonth = "20.00";
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const profile = { legalName: "Seller", address, numberPrefix: "I-" };

type Step =
  | { kind: "wait"; milliseconds: number }
  | { kind: "use"; units: number }
  | { kind: "units" | "cents"; amount: number; days: number | undefined }
  | { kind: "cap"; cents: number | undefined }
  | { kind: "buy"; pack: "units" | "money" }
  | { kind: "top-up"; pack: "units" | "money" }
  | { kind: "method"; behavior: "succeeds" | "fails" | "needs-action" };

const days = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      milliseconds: fc.oneof(fc.constant(hour), fc.integer({ min: 1, max: 33 * day })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("use" as const), units: fc.integer({ min: 1, max: 150 }) }) },
  fc.record({
    kind: fc.constantFrom("units" as const, "cents" as const),
    amount: fc.integer({ min: 1, max: 2_000 }),
    days,
  }),
  fc.record({
    kind: fc.constant("cap" as const),
    cents: fc.option(fc.integer({ max: 1_000, min: 0 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("buy" as const), pack: fc.constantFrom("units" as const, "money" as const) }),
  fc.record({ kind: fc.constant("top-up" as const), pack: fc.constantFrom("units" as const, "money" as const) }),
  fc.record({
    kind: fc.constant("method" as const),
    behavior: fc.constantFrom("succeeds" as const, "fails" as const, "needs-action" as const),
  }),
);

const death: fc.Arbitrary<Death> = fc.record({
  statements: fc.integer({ min: 1, max: 120 }),
  isAfterCommit: fc.boolean(),
});

/** A customer with two subscriptions on a database of its own, billed by the jobs alone, of which each node has its own. */
class Billed {
  deaths = 0;

  private constructor(
    private readonly storage: TestStorage,
    private readonly account: MeteringAccount,
    private readonly seqs: { seq: number; anchor: Awaited<ReturnType<MeteringAccount["subscribe"]>> }[],
  ) {}

  static async create(storage: TestStorage, overage: "bill" | "prepaid"): Promise<Billed> {
    // What earlier runs left is not billed any more.
    await storage.open.write(async (transaction) => {
      await transaction.run("UPDATE subscriptions SET bills_on = NULL", []);
      await transaction.run("UPDATE customer_credits SET checks_on = NULL", []);
      await transaction.run("UPDATE grants SET ended_on = created_on WHERE ended_on IS NULL", []);
      await transaction.run("UPDATE customers SET top_up = NULL", []);
      await transaction.run("UPDATE pack_purchases SET expires_on = NULL", []);
    });
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const itsPlan = await account.plan({ requests: { max: 100 } }, planWith(overage));
    await storage.open.write(async (transaction) => {
      const { account: its, now } = account.act;
      const changed = { version: 1, created_on: now, updated_on: now };
      const provider = { account_seq: its.seq, mode: "live", type: "sandbox", secret_key: null, webhook_secret: null };
      await setProfile(transaction, account.act, profile, () => {});
      await saveRow(transaction, "payment_providers", { ...provider, ...changed }, ["account_seq", "mode"]);
      for (const pack of packs) await createPack({ transaction, act: account.act, bucket: account.bucket }, pack);
    });
    const seqs = [];
    for (let index = 0; index < 2; index += 1) {
      const subscription = await account.subscribe(itsPlan, "acme");
      await storage.open.write((transaction) =>
        billingHooks.created({ transaction, act: account.act, bucket: account.bucket }, subscription),
      );
      seqs.push({ seq: subscription.row.seq, anchor: subscription });
      // Subscriptions that are due at the same time are billed in any order.
      storage.clock.advance(1);
    }
    return new Billed(storage, account, seqs);
  }

  async do(each: Step, deaths: Death[]): Promise<void> {
    const { clock, open } = this.storage;
    const { bucket } = this.account;
    const { act } = this.account;
    if (each.kind === "wait") {
      clock.advance(each.milliseconds);
      for (const next of deaths.splice(0, 2)) await this.#bill(next);
      await this.#bill();
    } else if (each.kind === "use") await this.#use(each.units);
    else if (each.kind === "cap")
      await open.write((transaction) => {
        const spendCap =
          each.cents === undefined ? null : { amount: (each.cents / 100).toFixed(2), action: "block" as const };
        return changeCustomer({ transaction, act, bucket }, "acme", { spendCap }, () => {});
      });
    else if (each.kind === "buy")
      await open.write((transaction) => purchasePack({ transaction, act, bucket }, "acme", each.pack));
    else if (each.kind === "method") {
      const method = { type: "sandbox", behavior: each.behavior } as const;
      await open.write((transaction) => setPaymentMethod({ transaction, act, bucket }, "acme", method, () => {}));
    } else if (each.kind === "top-up")
      await open.write((transaction) => {
        const below = each.pack === "units" ? 50 : "4.00";
        const topUp = { packExternalId: each.pack, below, maximumPerMonth, isEnabled: true };
        return changeCustomer({ transaction, act, bucket }, "acme", { topUp }, () => {});
      });
    else {
      const expiresOn = each.days === undefined ? undefined : clock.now() + each.days * day;
      const value =
        each.kind === "units"
          ? { meter: "requests", amount: each.amount }
          : { currency: "EUR", amount: (each.amount / 100).toFixed(2) };
      const grant = { ...value, funding: "paid" as const, ...(expiresOn === undefined ? {} : { expiresOn }) };
      await open.write((transaction) => addGrant({ transaction, act, bucket }, "acme", grant));
    }
  }

  /** As a process that ends as planned, or as one that completes everything. */
  async #bill(next?: Death): Promise<void> {
    const { clock, open } = this.storage;
    const failures: unknown[] = [];
    const storage = next ? mortalStorage(open, next) : open;
    const failed = (error: unknown) => void failures.push(error);
    // Another node bills at the same time, unless this one is to end at a certain statement.
    await Promise.all((next ? [storage] : [storage, storage]).map((its) => billDue(its, clock, failed)));
    await settleDueCredits(storage, clock, (error) => failures.push(error));
    // Two nodes check at the same time.
    const nodes = [storage, open].map((its) => this.#topUpsOn(its, failures));
    await Promise.all(nodes.map((node) => node.start()));
    for (const failure of failures) expect(failure).toBeInstanceOf(Died);
    if (!next) expect(failures).toEqual([]);
    this.deaths += failures.length > 0 ? 1 : 0;
  }

  #topUpsOn(storage: Storage, failures: unknown[]): TopUps {
    return new TopUps({
      storage,
      clock: this.storage.clock,
      heldIn: () => undefined,
      heldSubscriptions: () => [],
      page: { url: (token) => token, returnUrl: "https://shop.example/" },
      failed: (error) => failures.push(error),
    });
  }

  async #use(units: number): Promise<void> {
    const { clock, open } = this.storage;
    const now = clock.now();
    for (const [index, { seq, anchor }] of this.seqs.entries()) {
      const amount = amountOf(units * (index + 1))!;
      const change = { subscriptionSeq: seq, periodStart: periodOf(anchor, now).start, meter: "requests", events: 1 };
      const hours = new Map([[now - (now % hour), amount]]);
      await open.write((transaction) => raiseCounters(transaction, [{ ...change, amount, consumed: 0n, hours }]));
    }
  }

  /** Everything that a customer sees of it. */
  async result() {
    const { reads } = this.storage.open;
    const bucket = [this.account.bucket.seq];
    const invoices = await reads.all<{ number: string; lines: string }>(
      `SELECT number, status, lines, total, from_credits, written_off, finalized_on FROM invoices
         WHERE bucket_seq = ? ORDER BY seq`,
      bucket,
    );
    return {
      purchases: await reads.all<Purchase>(
        `SELECT pack_external_id, is_top_up, state, total, created_on, paid_on, grant_id IS NOT NULL AS is_granted,
           (SELECT COUNT(*) FROM grants WHERE purchase_id = pack_purchases.id AND grants.id = grant_id) AS grants
         FROM pack_purchases WHERE bucket_seq = ? ORDER BY seq`,
        bucket,
      ),
      // Both have plans of their own.
      invoices: invoices.map(({ lines, ...rest }) => ({ ...rest, lines: lines.replaceAll(/plan_\w+/g, "plan") })),
      entries: await reads.all<{ balance: string }>(
        `SELECT grants.amount AS granted, grant_entries.kind, grant_entries.amount, grant_entries.balance, hour, grant_entries.meter
         FROM grant_entries JOIN grants ON grants.seq = grant_seq WHERE bucket_seq = ? ORDER BY grant_entries.seq`,
        bucket,
      ),
      rollovers: await reads.all<{ grants: number; granted: string | null }>(
        `SELECT period_start, granted, (SELECT COUNT(*) FROM grants WHERE rollover_seq = rollovers.seq) AS grants
         FROM rollovers WHERE bucket_seq = ? ORDER BY period_start, seq`,
        bucket,
      ),
    };
  }
}

interface Purchase {
  is_top_up: number;
  state: string;
  total: string;
  created_on: number;
  grants: number;
}

/** At most one top-up is open, those of a month keep to the maximum, and what is paid is granted once. Returns their number. */
function expectTopUps(purchases: Purchase[]): number {
  const topUps = purchases.filter(({ is_top_up }) => is_top_up === 1);
  expect(topUps.filter(({ state }) => state === "open").length).toBeLessThanOrEqual(1);
  const counted = topUps.filter(({ state }) => state !== "failed");
  const byMonth = Map.groupBy(counted, ({ created_on }) => new Date(created_on).toISOString().slice(0, 7));
  for (const month of byMonth.values())
    expect(month.reduce((sum, { total }) => sum + Number(total), 0)).toBeLessThanOrEqual(Number(maximumPerMonth) * 100);
  for (const { state, grants } of purchases) expect(Number(grants)).toBe(state === "paid" ? 1 : 0);
  return topUps.length;
}

const numRuns = (engine: Engine) => (engine.name === "sqlite" ? 15 : 4);

eachEngine((engine) => {
  const [crashing, steady] = [useStorage(engine), useStorage(engine)];

  test("a process that ends within or after any transaction leaves what another one completes", async () => {
    const start = crashing.clock.now();
    let run = 0;
    let count = 0;
    let topUps = 0;
    let carried = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("bill" as const, "prepaid" as const),
        fc.array(step, { minLength: 3, maxLength: 16 }),
        fc.array(death, { minLength: 1, maxLength: 12 }),
        async (overage, steps, deaths) => {
          run += 1;
          const begin = new Date(start + run * 800 * day).toISOString();
          for (const { clock } of [crashing, steady]) clock.set(begin);
          const faulty = await Billed.create(crashing, overage);
          const expected = await Billed.create(steady, overage);
          const left = [...deaths];
          for (const each of [...steps, { kind: "wait" as const, milliseconds: 40 * day }]) {
            await faulty.do(each, left);
            await expected.do(each, []);
          }
          count += faulty.deaths;
          const result = await faulty.result();
          expect(result.invoices.length).toBeGreaterThan(2);
          expect(result).toEqual(await expected.result());
          topUps += expectTopUps(result.purchases);
          const numbers = result.invoices.flatMap(({ number }) => number ?? []).sort();
          expect(numbers).toEqual(numbers.map((_, index) => `I-${String(index + 1).padStart(6, "0")}`));
          for (const { grants, granted } of result.rollovers)
            expect(Number(grants)).toBe(["0", null].includes(granted) ? 0 : 1);
          carried += result.rollovers.length;
          for (const { balance } of result.entries) expect(BigInt(balance) >= 0n).toBe(true);
        },
      ),
      { numRuns: numRuns(engine) },
    );
    expect(count).toBeGreaterThan(run / 2);
    expect(topUps).toBeGreaterThan(0);
    expect(carried).toBeGreaterThan(0);
  });
});
