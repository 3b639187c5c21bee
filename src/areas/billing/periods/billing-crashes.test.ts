import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Engine, eachEngine } from "../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { type Death, Died, mortalStorage } from "../../../../test/support/mortal-storage.ts";
import { type TestStorage, useStorage } from "../../../../test/support/storage.ts";
import { raiseCounters } from "../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../lib/amount.ts";
import { periodOf } from "../../subscriptions/period.ts";
import { setProfile } from "../settings/settings.ts";
import { billDue, settleDueCredits } from "./billing-job.ts";
import { changeCustomer } from "./cap-actions.ts";
import { addGrant } from "./grant-actions.ts";
import { billingHooks } from "./subscription-hooks.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const rates = {
  requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] },
};
const plan = { price: { currency: "EUR", amount: "10.00", interval: "month" }, rates };
const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
const profile = { legalName: "Seller", address, numberPrefix: "I-" };

type Step =
  | { kind: "wait"; milliseconds: number }
  | { kind: "use"; units: number }
  | { kind: "units" | "cents"; amount: number; days: number | undefined }
  | { kind: "cap"; cents: number | undefined };

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
);

const death: fc.Arbitrary<Death> = fc.record({
  statements: fc.integer({ min: 1, max: 120 }),
  isAfterCommit: fc.boolean(),
});

/** A customer with two subscriptions on a database of its own, billed by the jobs alone. */
class Billed {
  deaths = 0;

  private constructor(
    private readonly storage: TestStorage,
    private readonly account: MeteringAccount,
    private readonly seqs: { seq: number; anchor: Awaited<ReturnType<MeteringAccount["subscribe"]>> }[],
  ) {}

  static async create(storage: TestStorage): Promise<Billed> {
    // What earlier runs left is not billed any more.
    await storage.open.write(async (transaction) => {
      await transaction.run("UPDATE subscriptions SET bills_on = NULL", []);
      await transaction.run("UPDATE customer_credits SET checks_on = NULL", []);
      await transaction.run("UPDATE grants SET ended_on = created_on WHERE ended_on IS NULL", []);
    });
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const itsPlan = await account.plan({ requests: { max: 100 } }, plan);
    await storage.open.write((transaction) => setProfile(transaction, account.act, profile, () => {}));
    const seqs = [];
    for (let index = 0; index < 2; index += 1) {
      const subscription = await account.subscribe(itsPlan, "acme");
      await storage.open.write((transaction) =>
        billingHooks.created(transaction, account.act, account.bucket, subscription),
      );
      seqs.push({ seq: subscription.row.seq, anchor: subscription });
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
        return changeCustomer(transaction, act, bucket, "acme", { spendCap }, () => {});
      });
    else {
      const expiresOn = each.days === undefined ? undefined : clock.now() + each.days * day;
      const value =
        each.kind === "units"
          ? { meter: "requests", amount: each.amount }
          : { currency: "EUR", amount: (each.amount / 100).toFixed(2) };
      const grant = { ...value, funding: "paid" as const, ...(expiresOn === undefined ? {} : { expiresOn }) };
      await open.write((transaction) => addGrant(transaction, act, bucket, "acme", grant));
    }
  }

  /** As a process that ends as planned, or as one that completes everything. */
  async #bill(next?: Death): Promise<void> {
    const { clock, open } = this.storage;
    const failures: unknown[] = [];
    const storage = next ? mortalStorage(open, next) : open;
    await billDue(storage, clock, (error) => failures.push(error));
    await settleDueCredits(storage, clock, (error) => failures.push(error));
    for (const failure of failures) expect(failure).toBeInstanceOf(Died);
    if (!next) expect(failures).toEqual([]);
    this.deaths += failures.length > 0 ? 1 : 0;
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
      // Both have plans of their own.
      invoices: invoices.map(({ lines, ...rest }) => ({ ...rest, lines: lines.replaceAll(/plan_\w+/g, "plan") })),
      entries: await reads.all<{ balance: string }>(
        `SELECT grants.amount AS granted, grant_entries.kind, grant_entries.amount, grant_entries.balance, hour, grant_entries.meter
         FROM grant_entries JOIN grants ON grants.seq = grant_seq WHERE bucket_seq = ? ORDER BY grant_entries.seq`,
        bucket,
      ),
    };
  }
}

const numRuns = (engine: Engine) => (engine.name === "sqlite" ? 15 : 4);

eachEngine((engine) => {
  const [crashing, steady] = [useStorage(engine), useStorage(engine)];

  test("a process that ends within or after any transaction leaves what another one completes", async () => {
    const start = crashing.clock.now();
    let run = 0;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.array(death, { minLength: 1, maxLength: 12 }),
        async (steps, deaths) => {
          run += 1;
          const begin = new Date(start + run * 800 * day).toISOString();
          for (const { clock } of [crashing, steady]) clock.set(begin);
          const faulty = await Billed.create(crashing);
          const expected = await Billed.create(steady);
          const left = [...deaths];
          for (const each of [...steps, { kind: "wait" as const, milliseconds: 40 * day }]) {
            await faulty.do(each, left);
            await expected.do(each, []);
          }
          count += faulty.deaths;
          const result = await faulty.result();
          expect(result.invoices.length).toBeGreaterThan(2);
          expect(result).toEqual(await expected.result());
          const numbers = result.invoices.flatMap(({ number }) => number ?? []).sort();
          expect(numbers).toEqual(numbers.map((_, index) => `I-${String(index + 1).padStart(6, "0")}`));
          for (const { balance } of result.entries) expect(BigInt(balance) >= 0n).toBe(true);
        },
      ),
      { numRuns: numRuns(engine) },
    );
    expect(count).toBeGreaterThan(run / 2);
  });
});
