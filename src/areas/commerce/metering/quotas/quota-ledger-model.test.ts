import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import { Hold } from "../../../../counting/quotas/hold.ts";
import { amountOf, numberOf } from "../../../../lib/amount.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { UsageEvents } from "../usage/events.ts";
import { usageSeries } from "../usage/usage-series.ts";
import { openQuotaLedger } from "./quota-source.ts";
import { Quotas } from "./quotas.ts";

/** In tenths, so that sums are exact in the model too. */
const tenths = fc.integer({ min: 1, max: 30 });
const amountOfTenths = (count: number) => amountOf(count / 10)!;
const requests = (count: number) => new Map([["requests", amountOfTenths(count)]]);
/** Kept and reused, as a policy keeps its weights. */
const weights = new Map([1, 3, 10].map((count) => [count, requests(count)]));
const weight = fc.constantFrom(1, 3, 10);

const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: kind("hold"), amount: weight }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("settle"), which: fc.nat(), actual: fc.option(fc.nat(15)) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("release"), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("event"), amount: tenths }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("consume"), amount: tenths }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("rolledBack"), amount: tenths }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("flush") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("evict") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("max"), amount: fc.integer({ min: 0, max: 100 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("wait"), milliseconds: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("turn") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("restart"), isKilled: fc.boolean() }) },
);

interface ModelHold {
  hold: Hold;
  amount: number;
  period: number;
}

/** The usage in each period, by its start, in tenths. */
class Totals {
  readonly #totals = new Map<number, number>();

  of(period: number): number {
    return this.#totals.get(period) ?? 0;
  }

  add(period: number, amount: number): void {
    this.#totals.set(period, this.of(period) + amount);
  }

  moveTo(other: Totals): void {
    for (const [period, amount] of this.#totals) other.add(period, amount);
    this.#totals.clear();
  }

  clear(): void {
    this.#totals.clear();
  }

  get periods(): number[] {
    return [...this.#totals.keys()];
  }
}

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function scene(max: number) {
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const plan = await account.plan({ requests: { max } });
    const customer = unique("customer");
    const subscription = await account.subscribe(plan, customer);
    const place = customerPlace(account.account.seq, account.bucket.id, customer);
    const consumption = (amount: number) => ({
      act: account.act,
      bucketId: account.bucket.id,
      subscriptionId: subscription.row.id,
      amounts: requests(amount),
    });
    return { account, plan, customer, subscription, place, consumption };
  }

  test("agrees with a model of one node, and storage agrees with both in the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { clock } = storage;
        const { account, plan, customer, subscription, place, consumption } = await scene(5);
        let ledger = openQuotaLedger(storage.open, clock);
        let quotas = new Quotas(storage.open, ledger);

        const stored = new Totals();
        const settled = new Totals();
        let holds: ModelHold[] = [];
        let max = 50;
        const held = (period: number) =>
          holds.filter((each) => each.period === period).reduce((sum, { amount }) => sum + amount, 0);
        const flush = async () => {
          await ledger.flush();
          settled.moveTo(stored);
        };

        for (const each of steps) {
          const now = clock.now();
          const period = periodOf(subscription, now).start;
          const used = stored.of(period) + settled.of(period) + held(period);
          if (each.kind === "hold") {
            const quota = await ledger.find(place, now);
            const hold = quota.hold(weights.get(each.amount)!);
            expect(hold instanceof Hold).toBe(used + each.amount <= max);
            if (hold instanceof Hold) holds.push({ hold, amount: each.amount, period });
            else expect(hold).toMatchObject({ meter: "requests", used: amountOfTenths(used) });
          } else if ((each.kind === "settle" || each.kind === "release") && holds.length > 0) {
            const [ended] = holds.splice(each.which % holds.length, 1) as [ModelHold];
            if (each.kind === "release") ended.hold.release();
            else {
              ended.hold.settle(each.actual === null ? undefined : requests(each.actual));
              settled.add(ended.period, each.actual ?? ended.amount);
            }
            // A hold that ended does not end again.
            ended.hold.release();
            ended.hold.settle();
          } else if (each.kind === "event") {
            const event = { specversion: "1.0", id: unique("e"), source: "s", type: "t", subject: customer };
            await new UsageEvents(storage.open).ingest({
              act: account.act,
              bucketId: account.bucket.id,
              items: [{ ...event, data: { requests: each.amount / 10 } }],
            });
            stored.add(period, each.amount);
          } else if (each.kind === "consume") {
            const isAllowed = used + each.amount <= max;
            const { allowed, meters } = await quotas.consume(consumption(each.amount));
            expect(allowed).toBe(isAllowed);
            if (isAllowed) stored.add(period, each.amount);
            expect(meters.requests!.used).toBe(numberOf(amountOfTenths(used + (isAllowed ? each.amount : 0))));
          } else if (each.kind === "rolledBack") {
            const work = storage.open.write(async (transaction) => {
              await quotas.consumeIn(transaction, consumption(each.amount));
              throw new Error("rolled back");
            });
            await expect(work).rejects.toThrow("rolled back");
          } else if (each.kind === "max") {
            max = each.amount;
            await account.changePlan(plan, { requests: { max: max / 10 } });
          } else if (each.kind === "restart") {
            if (!each.isKilled) await flush();
            settled.clear();
            holds = [];
            ledger = openQuotaLedger(storage.open, clock);
            quotas = new Quotas(storage.open, ledger);
          } else if (each.kind === "wait") clock.advance(each.milliseconds);
          else if (each.kind === "turn") clock.advance(16 * 24 * 60 * 60 * 1000);
          else if (each.kind === "flush") await flush();
          else if (each.kind === "evict") ledger.evictIdle();
        }

        for (const { hold, amount, period } of holds) {
          hold.settle();
          settled.add(period, amount);
        }
        await flush();
        expect(ledger.unwritten).toBe(0);
        ledger.evictIdle();
        ledger.evictIdle();
        expect(ledger.periods).toBe(0);
        for (const period of stored.periods) {
          const expected = { requests: numberOf(amountOfTenths(stored.of(period))) };
          expect(await account.used(subscription, period)).toEqual(expected);
          const { end } = periodOf(subscription, period);
          const isKeptByHour = period > clock.now() - 89 * 24 * 60 * 60 * 1000;
          for (const step of isKeptByHour ? (["1h", "1d"] as const) : (["1d"] as const)) {
            const range = { from: period, to: end, step };
            const { meters } = await usageSeries(storage.open.reads, subscription, range, clock.now());
            const points = meters.requests!.points.map((point) => amountOf(point)!);
            expect(numberOf(points.reduce((sum, each) => sum + each, 0n))).toBe(expected.requests);
          }
        }
      }),
      { numRuns: engine.name === "sqlite" ? 25 : 40 },
    );
  });

  const concurrent = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: kind("hold"),
        amount: weight,
        /** The number of turns of the event loop. */
        turns: fc.nat(8),
        actual: fc.option(fc.constantFrom(0, 1)),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: kind("consume"), amount: weight }) },
    { weight: 2, arbitrary: fc.record({ kind: kind("alone"), amount: weight, isRolledBack: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("flush"), turns: fc.nat(8) }) },
  );

  test("requests, consumption and flushes at the same time never exceed the quota, and lose nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(concurrent, { minLength: 10, maxLength: 60 }), async (works) => {
        const max = 60;
        const { account, subscription, place, consumption } = await scene(max / 10);
        const ledger = openQuotaLedger(storage.open, storage.clock);
        const quotas = new Quotas(storage.open, ledger);
        let counted = 0;
        const turns = async (count: number) => {
          for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
        };
        await Promise.all(
          works.map(async (work) => {
            if (work.kind === "hold") {
              const hold = (await ledger.find(place, storage.clock.now())).hold(weights.get(work.amount)!);
              if (!(hold instanceof Hold)) return;
              await turns(work.turns);
              if (work.actual === 0) hold.release();
              else hold.settle(work.actual === null ? undefined : requests(work.actual));
              counted += work.actual ?? work.amount;
            } else if (work.kind === "flush") {
              await turns(work.turns);
              await ledger.flush();
            } else if (work.kind === "consume") {
              const { allowed } = await quotas.consume(consumption(work.amount));
              if (allowed) counted += work.amount;
            } else {
              const alone = storage.open.write(async (transaction) => {
                const { allowed } = await quotas.consumeIn(transaction, consumption(work.amount));
                if (work.isRolledBack) throw new Error("rolled back");
                return allowed;
              });
              const allowed = await alone.catch(() => false);
              if (allowed) counted += work.amount;
            }
          }),
        );
        await ledger.flush();
        expect(counted).toBeLessThanOrEqual(max);
        expect(await account.used(subscription)).toEqual({ requests: counted / 10 });
        // Nothing remains held: the rest can be used, to the last tenth.
        const hold = (await ledger.find(place, storage.clock.now())).hold(requests(max - counted));
        expect(hold).toBeInstanceOf(Hold);
        (hold as Hold).release();
        const { allowed } = await quotas.consume(consumption(max - counted));
        expect(allowed).toBe(true);
      }),
      { numRuns: engine.name === "sqlite" ? 15 : 30 },
    );
  });
});
