import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { amountOf, numberOf } from "../../../lib/amount.ts";
import { periodOf } from "../subscriptions/subscriptions.ts";
import { UsageEvents } from "../usage/events.ts";
import { usageSeries } from "../usage/usage-series.ts";
import type { Charge } from "./customer-quota.ts";
import { customerPlace, QuotaLedger } from "./quota-ledger.ts";
import { Quotas } from "./quotas.ts";

/** In tenths, so that sums are exact in the model too. */
const tenths = fc.integer({ min: 1, max: 30 });

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("take" as const), amount: fc.constantFrom(1, 3, 10) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("leave" as const), which: fc.nat(), counts: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("event" as const), amount: tenths }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("consume" as const), amount: tenths }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("flush" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("max" as const), amount: fc.integer({ min: 0, max: 100 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("turn" as const) }) },
);

const amountOfTenths = (count: number) => amountOf(count / 10)!;
const charges = new Map([1, 3, 10].map((count) => [count, new Map([["requests", amountOfTenths(count)]])]));

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("agrees with a model of one node, and storage agrees with both in the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { clock } = storage;
        const ledger = new QuotaLedger(storage.open, clock);
        const account = await MeteringAccount.create(storage.open, clock);
        const plan = await account.plan({ requests: { max: 5 } });
        const customer = unique("customer");
        const subscription = await account.subscribe(plan, customer);

        /** What was used in each period, by its start, in tenths; what is under way counts as used by requests. */
        const stored = new Map<number, number>();
        const here = new Map<number, number>();
        const under: { charge: Charge; amount: number; period: number }[] = [];
        let max = 50;
        const raise = (map: Map<number, number>, period: number, by: number) =>
          map.set(period, (map.get(period) ?? 0) + by);

        for (const each of steps) {
          const period = periodOf(subscription, clock.now()).start;
          const used = (stored.get(period) ?? 0) + (here.get(period) ?? 0);
          if (each.kind === "take") {
            const quota = await ledger.find(
              customerPlace(account.account.seq, account.bucket.id, customer),
              clock.now(),
            );
            const charge = quota.charge(charges.get(each.amount)!)!;
            expect(charge.lacking() === undefined).toBe(used + each.amount <= max);
            if (charge.lacking()) continue;
            charge.hold();
            under.push({ charge, amount: each.amount, period });
            raise(here, period, each.amount);
          } else if (each.kind === "leave" && under.length > 0) {
            const [left] = under.splice(each.which % under.length, 1);
            if (each.counts) left!.charge.confirm();
            else {
              left!.charge.giveBack();
              raise(here, left!.period, -left!.amount);
            }
          } else if (each.kind === "event") {
            const event = { specversion: "1.0", id: unique("e"), source: "s", type: "t", subject: customer };
            await new UsageEvents(storage.open).ingest({
              act: account.act,
              bucketId: account.bucket.id,
              items: [{ ...event, data: { requests: each.amount / 10 } }],
            });
            raise(stored, period, each.amount);
          } else if (each.kind === "consume") {
            const { allowed } = await new Quotas(storage.open).consume({
              act: account.act,
              bucketId: account.bucket.id,
              subscriptionId: subscription.row.id,
              amounts: new Map([["requests", amountOfTenths(each.amount)]]),
            });
            if (allowed) raise(stored, period, each.amount);
          } else if (each.kind === "max") {
            max = each.amount;
            await account.changePlan(plan, { requests: { max: max / 10 } });
          } else if (each.kind === "turn") clock.advance(16 * 24 * 60 * 60 * 1000);
          else if (each.kind === "flush") await ledger.flush();
          else if (each.kind === "forget") ledger.forgetIdle();
        }

        for (const { charge } of under) charge.confirm();
        await ledger.flush();
        for (const period of new Set([...stored.keys(), ...here.keys()])) {
          const used = (stored.get(period) ?? 0) + (here.get(period) ?? 0);
          const expected = { requests: numberOf(amountOfTenths(used)) };
          expect(await account.used(subscription, period)).toEqual(expected);
          const { end } = periodOf(subscription, period);
          const isKeptByHour = period > clock.now() - 89 * 24 * 60 * 60 * 1000;
          for (const step of isKeptByHour ? (["1h", "1d"] as const) : (["1d"] as const)) {
            const range = { from: period, to: end, step };
            const { meters } = await usageSeries(storage.open.reads, subscription, range, clock.now());
            const points = meters.requests!.points.map((point) => amountOf(point.used)!);
            expect(numberOf(points.reduce((sum, each) => sum + each, 0n))).toBe(expected.requests);
          }
        }
      }),
      { numRuns: engine.name === "sqlite" ? 150 : 40 },
    );
  }, 120_000);
});
