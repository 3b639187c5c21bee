import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sqlite } from "../../../test/support/engines.ts";
import { unique } from "../../../test/support/metering.ts";
import { MeteringAccount } from "../../../test/support/metering-rules.ts";
import { Scene, unitsOf, workerCount } from "../../../test/support/simulated-workers.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { Quotas } from "../../areas/commerce/metering/quotas/quotas.ts";
import { numberOf } from "../../lib/amount.ts";
import { customerPlace } from "../quotas/customer-place.ts";
import type { Hold } from "../quotas/hold.ts";
import { holdQuota } from "../quotas/hold-quota.ts";

const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const worker = fc.nat(workerCount - 1);
const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: kind("limit"), worker, count: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 10, arbitrary: fc.record({ kind: kind("hold"), worker, count: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("settle"), which: fc.nat(), actual: fc.option(fc.nat(1)) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("release"), which: fc.nat() }) },
  { weight: 12, arbitrary: fc.record({ kind: kind("toPrimary"), worker, count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 12, arbitrary: fc.record({ kind: kind("toWorker"), worker, count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("report"), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("consume"), amount: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("kill"), worker }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("flush") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("max"), amount: fc.integer({ min: 0, max: 400 }) }) },
);

describe("leases", () => {
  const storage = useStorage(sqlite);

  test("limits are never exceeded, and reject nothing that is within them", async () => {
    let leased = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 100 }),
        fc.integer({ min: 20, max: 300 }),
        async (steps, limit) => {
          const account = await MeteringAccount.create(storage.open, storage.clock);
          const plan = await account.plan({ requests: { max: limit } });
          const customer = unique("customer");
          const subscription = await account.subscribe(plan, customer);
          const place = customerPlace(account.account.seq, account.bucket.id, customer);
          const scene = new Scene(storage.open, () => storage.clock.now(), place, limit, limit);
          const { model, workers } = scene;
          const { ledger, windows } = scene.counters;
          const quotas = new Quotas(storage.open, ledger);
          const work = async <Result>(promise: Promise<Result>): Promise<Result> => {
            let isDone = false;
            const done = promise.finally(() => (isDone = true));
            while (!isDone) await scene.settle();
            return done;
          };
          for (const each of steps) {
            switch (each.kind) {
              case "limit":
                for (let index = 0; index < each.count; index++) await scene.takeLimit(each.worker);
                break;
              case "hold":
                for (let index = 0; index < each.count; index++) scene.takeHold(each.worker);
                break;
              case "settle":
              case "release": {
                const [ended] = model.held.splice(each.which % Math.max(1, model.held.length), 1);
                if (!ended) break;
                if (each.kind === "release") {
                  ended.hold.release();
                  break;
                }
                const count = each.actual ?? 1;
                ended.hold.settle(each.actual === null ? undefined : unitsOf(count));
                model.consumed += count;
                ended.worker.unreported.consumed += count;
                break;
              }
              case "toPrimary":
                for (let index = 0; index < each.count; index++) workers[each.worker]!.deliverToPrimary();
                break;
              case "toWorker":
                for (let index = 0; index < each.count; index++) workers[each.worker]!.deliverToWorker();
                break;
              case "report":
                workers[each.worker]!.book.reportAll(storage.clock.now());
                leased += workers[each.worker]!.book.size;
                break;
              case "consume": {
                const consumption = {
                  act: account.act,
                  bucketId: account.bucket.id,
                  subscriptionId: subscription.row.id,
                  amounts: new Map(unitsOf(each.amount)),
                };
                await work(scene.settle());
                const before = scene.used;
                const { allowed } = await work(quotas.consume(consumption));
                expect(allowed).toBe(before + each.amount <= scene.max);
                if (allowed) model.consumed += each.amount;
                break;
              }
              case "kill":
                await scene.kill(each.worker);
                break;
              case "flush":
                await work(ledger.flush());
                await work(windows.flush(storage.clock.now()));
                break;
              case "max":
                await work(scene.settle());
                scene.max = Math.max(each.amount, scene.used);
                await work(account.changePlan(plan, { requests: { max: scene.max } }));
                break;
            }
            await scene.turn();
          }

          // In the end all units are used or returned.
          for (const { hold } of model.held.splice(0)) {
            hold.settle();
            model.consumed += 1;
          }
          for (let round = 0; round < 10; round++) {
            for (const process of scene.workers) process.book.reportAll(storage.clock.now());
            await work(scene.settle());
          }
          for (const { hold } of model.held.splice(0)) hold.release();
          await work(scene.settle());
          expect(scene.workers.map(({ book }) => book.size)).toEqual([0, 0, 0]);
          expect(windows.open(scene.limit.scope, 3600, storage.clock.now()).used("subject")).toBe(model.limited);
          await work(ledger.flush());
          const { subscriptionSeq, periodStart } = (await ledger.find(place, storage.clock.now())).heldIn!;
          expect(ledger.heldIn(subscriptionSeq, periodStart)?.get("requests") ?? 0n).toBe(0n);
          expect(await account.used(subscription)).toEqual({ requests: model.consumed });
          ledger.evictIdle();
          ledger.evictIdle();
          expect(ledger.periods).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
    expect(leased).toBeGreaterThan(0);
  });

  test("what workers may take is not held by requests, and what requests hold meanwhile is", async () => {
    const account = await MeteringAccount.create(storage.open, storage.clock);
    const customer = unique("customer");
    const { row } = await account.subscribe(await account.plan({ requests: { max: 500 } }), customer);
    const place = customerPlace(account.account.seq, account.bucket.id, customer);
    const scene = new Scene(storage.open, () => storage.clock.now(), place, 500, 500);
    const { ledger } = scene.counters;
    const { periodStart } = (await ledger.find(place, storage.clock.now())).heldIn!;
    const held = () => numberOf(ledger.heldIn(row.seq, periodStart)?.get("requests") ?? 0n);
    for (let count = 0; count < 30; count++) scene.takeHold(0);
    await scene.settle();
    for (const { hold } of scene.model.held.splice(0)) hold.settle();
    scene.workers[0]!.book.reportAll(storage.clock.now());
    await scene.settle();
    await ledger.flush();
    expect({ isLeased: scene.workers[0]!.book.size > 0, held: held() }).toEqual({ isLeased: true, held: 0 });
    const decision = await holdQuota(ledger, place, unitsOf(40), storage.clock.now(), { isShared: true });
    expect(held()).toBe(40);
    (decision.result as Hold).release();
    expect(held()).toBe(0);
  });
});
