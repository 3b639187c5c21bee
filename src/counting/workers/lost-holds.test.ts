import { describe, expect, test } from "bun:test";
import { SimulatedCountingWorker, SimulatedPrimary } from "../../../test/support/counting-machine.ts";
import { eachEngine } from "../../../test/support/engines.ts";
import { unique } from "../../../test/support/metering.ts";
import { MeteringAccount } from "../../../test/support/metering-rules.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { RecordedNumbers } from "../../../test/support/worker-records.ts";
import { amountOf, numberOf } from "../../lib/amount.ts";
import { customerPlace } from "../quotas/customer-place.ts";
import type { MeterAmounts } from "../quotas/hold.ts";
import type { QuotaHold } from "../quotas/hold-quota.ts";

const tokens = (amount: number): MeterAmounts => new Map([["tokens", amountOf(amount)!]]);

eachEngine((engine) => {
  const storage = useStorage(engine);
  const { clock } = storage;
  const now = () => clock.now();
  const newPrimary = () => new SimulatedPrimary(storage.open, now, new RecordedNumbers(storage.open));
  const newWorker = () => new SimulatedCountingWorker(storage.open, now, new RecordedNumbers(storage.open));

  async function scene() {
    const account = await MeteringAccount.create(storage.open, clock);
    const customer = unique("customer");
    const subscription = await account.subscribe(await account.plan({ tokens: { max: 1000 } }), customer);
    const place = customerPlace(account.account.seq, account.bucket.id, customer);
    const deliver = async (worker: SimulatedCountingWorker) => {
      worker.deliver(true, 10);
      await new Promise((resolve) => setImmediate(resolve));
      worker.deliver(false, 10);
      await new Promise((resolve) => setImmediate(resolve));
    };
    const connect = async (worker: SimulatedCountingWorker, primary: SimulatedPrimary) => {
      worker.connect(primary);
      await deliver(worker);
      // What waited for the connection.
      await deliver(worker);
    };
    /** Opens a hold of 100, with an estimate of 10. */
    const hold = async (worker: SimulatedCountingWorker): Promise<QuotaHold> => {
      const options = { isShared: true, estimate: tokens(10) };
      const held = worker.counting.quotas.hold(place, tokens(100), now(), options);
      let isDecided = false;
      const decided = Promise.resolve(held).finally(() => (isDecided = true));
      // The primary reads the quota.
      while (!isDecided) await deliver(worker);
      return (await decided) as QuotaHold;
    };
    const used = async ({ counters: { ledger } }: SimulatedPrimary) => {
      const { subscriptionSeq, periodStart: start, periodEnd: end } = (await ledger.find(place, now())).heldIn!;
      const pinned = ledger.pin(subscriptionSeq, { start, end });
      const total = numberOf(pinned.counter("tokens").used);
      ledger.unpin(pinned);
      return total;
    };
    /** Passes time, in which primaries flush and look for what was lost. */
    const pass = async (seconds: number, ...primaries: SimulatedPrimary[]) => {
      for (let passed = 0; passed < seconds; passed += 2) {
        clock.advance(2000);
        for (const { counters } of primaries) {
          await counters.ledger.flush();
          if (passed % 10 === 0) await counters.ledger.countLost();
        }
      }
    };
    const stored = async () => (await account.used(subscription)) as { tokens: number };
    return { hold, used, pass, deliver, connect, stored };
  }

  describe("holds with an estimate:", () => {
    test("the estimate of a killed worker counts after ten seconds, and the rest returns at once", async () => {
      const { hold, used, pass, deliver, connect, stored } = await scene();
      const primary = newPrimary();
      const worker = newWorker();
      await connect(worker, primary);
      (await hold(worker)).estimate(tokens(30));
      await hold(worker);
      (await hold(worker)).settle(tokens(5));
      await deliver(worker);
      expect(await used(primary)).toBe(205);
      worker.kill();
      expect(await used(primary)).toBe(45);
      await pass(8, primary);
      expect(await stored()).toEqual({ tokens: 5 });
      await pass(4, primary);
      expect(await stored()).toEqual({ tokens: 45 });
      await pass(80, primary);
      expect(await stored()).toEqual({ tokens: 45 });
      expect(await used(primary)).toBe(45);
    });

    test("a worker that returns counts once, what it used", async () => {
      const { hold, used, pass, deliver, connect, stored } = await scene();
      const primary = newPrimary();
      const worker = newWorker();
      await connect(worker, primary);
      const first = await hold(worker);
      const second = await hold(worker);
      worker.disconnect();
      expect(await used(primary)).toBe(20);
      second.settle(tokens(7));
      await connect(worker, primary);
      expect(await used(primary)).toBe(107);
      first.settle(tokens(12));
      await deliver(worker);
      await pass(80, primary);
      expect(await stored()).toEqual({ tokens: 19 });
    });

    test("estimates of workers whose primary is killed count once, by the next primary", async () => {
      const { hold, used, pass, deliver, connect, stored } = await scene();
      const killed = newPrimary();
      const worker = newWorker();
      const other = newWorker();
      await connect(worker, killed);
      await connect(other, killed);
      const held = await hold(worker);
      await hold(other);
      await killed.counters.ledger.flush();
      worker.disconnect();
      other.disconnect();
      const next = newPrimary();
      held.estimate(tokens(40));
      await connect(worker, next);
      await connect(other, next);
      expect(await used(next)).toBe(200);
      await pass(80, next);
      expect(await stored()).toEqual({ tokens: 0 });
      other.kill();
      await pass(12, next);
      held.settle(tokens(50));
      await deliver(worker);
      await pass(80, next);
      expect(await stored()).toEqual({ tokens: 60 });
    });

    test("a node that was cut off and returns counts what its streams used, once", async () => {
      const { hold, pass, deliver, connect, stored } = await scene();
      const [cutOff, other] = [newPrimary(), newPrimary()];
      const worker = newWorker();
      await connect(worker, cutOff);
      const streamed = async (estimate: number, total: number) => {
        const held = await hold(worker);
        held.estimate(tokens(estimate));
        await deliver(worker);
        await cutOff.counters.ledger.flush();
        await pass(80, other);
        expect(await stored()).toEqual({ tokens: total });
        return held;
      };
      (await streamed(30, 30)).settle(tokens(50));
      await deliver(worker);
      await pass(80, cutOff, other);
      expect(await stored()).toEqual({ tokens: 50 });
      // Less than the estimate, which the next usage makes up for.
      (await streamed(30, 80)).settle(tokens(5));
      await deliver(worker);
      await pass(20, cutOff, other);
      expect(await stored()).toEqual({ tokens: 80 });
      for (const each of [15, 25]) {
        (await hold(worker)).settle(tokens(each));
        await deliver(worker);
        await pass(20, cutOff, other);
      }
      expect(await stored()).toEqual({ tokens: 95 });
    });

    test("estimates of a killed node count once, as they were published", async () => {
      const { hold, used, pass, connect, stored } = await scene();
      const killed = newPrimary();
      const worker = newWorker();
      await connect(worker, killed);
      const held = await hold(worker);
      held.estimate(tokens(30));
      const settled = await hold(worker);
      settled.settle(tokens(4));
      worker.deliver(true, 10);
      await killed.counters.ledger.flush();
      // Not published.
      held.estimate(tokens(60));
      worker.deliver(true, 10);
      const next = newPrimary();
      const another = newPrimary();
      await pass(30, next, another);
      expect(await stored()).toEqual({ tokens: 4 });
      await pass(40, next, another);
      expect(await stored()).toEqual({ tokens: 34 });
      await pass(80, next, another);
      expect(await stored()).toEqual({ tokens: 34 });
      expect(await used(next)).toBe(34);
      const rows = await storage.open.reads.all("SELECT * FROM quota_holds WHERE estimate <> '0'", []);
      expect(rows).toEqual([]);
    });

    test("a living node publishes nothing when its holds have ended", async () => {
      const { hold, pass, deliver, connect, stored } = await scene();
      const primary = newPrimary();
      const worker = newWorker();
      await connect(worker, primary);
      const held = await hold(worker);
      await pass(60, primary);
      expect(await stored()).toEqual({ tokens: 0 });
      held.release();
      await deliver(worker);
      await pass(80, primary);
      expect(await stored()).toEqual({ tokens: 0 });
    });
  });
});
