import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { unique } from "../../../test/support/metering.ts";
import { MeteringAccount } from "../../../test/support/metering-rules.ts";
import { Scene, unit, unitsOf } from "../../../test/support/simulated-workers.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { Quotas } from "../../areas/commerce/metering/quotas/quotas.ts";
import type { RequestContext } from "../../gateway/exchange/policy.ts";
import { CustomerQuotas } from "../../gateway/policies/quota/customer-quotas.ts";
import { customerPlace } from "../quotas/customer-place.ts";
import { Hold } from "../quotas/hold.ts";
import { LedgerQuotas } from "../quotas/hold-quota.ts";

const max = 200;

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** A quota of which the first worker has leased all but the units that the test takes. */
  async function leased() {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const plan = await account.plan({ requests: { max } });
    const customer = unique("customer");
    const subscription = await account.subscribe(plan, customer);
    const place = customerPlace(account.account.seq, account.bucket.id, customer);
    const scene = new Scene(open, () => clock.now(), place, max, max);
    for (let request = 0; request < 10; request++) {
      scene.takeHold(0);
      while (scene.model.held.length <= request) await scene.settle();
    }
    const quota = await scene.counters.ledger.find(place, clock.now());
    const rest = unitsOf(max - 40);
    const taken = quota.hold(rest) as Hold;
    expect(taken).toBeInstanceOf(Hold);
    const shortage = quota.hold(unitsOf(30));
    expect(shortage).toHaveProperty("meter", "requests");
    const consumption = (count: number) => ({
      act: account.act,
      bucketId: account.bucket.id,
      subscriptionId: subscription.row.id,
      amounts: new Map(unitsOf(count)),
    });
    return { account, plan, subscription, place, scene, taken, consumption };
  }

  test("consumption does not wait forever for a worker that does not respond", async () => {
    const { scene, consumption, account, subscription } = await leased();
    const quotas = new Quotas(storage.open, scene.counters.ledger);
    const consumed = quotas.consume(consumption(30));
    while (scene.timers.waiting === 0) await scene.turn();
    scene.timers.end();
    expect(await consumed).toMatchObject({ allowed: false });
    // Nothing waits for it again, and what is left without it can be used.
    expect(await quotas.consume(consumption(30))).toMatchObject({ allowed: false });
    expect(scene.timers.waiting).toBe(0);
    expect(await quotas.consume(consumption(1))).toMatchObject({ allowed: true });
    expect(await account.used(subscription)).toEqual({ requests: 1 });
    // It responds at last: its units are not lost.
    while (!scene.workers[0]!.isQuiet) await scene.settle();
    expect(await quotas.consume(consumption(20))).toMatchObject({ allowed: true });
  });

  test.each(["a worker", "the primary itself"])(
    "a request of %s is decided with the quota as it is after a recall",
    async (who) => {
      const { account, plan, scene, place } = await leased();
      const { ledger } = scene.counters;
      const first = await ledger.find(place, storage.clock.now());
      let isHeld: boolean | undefined;
      const amounts = unitsOf(30);
      if (who === "a worker") {
        const held = scene.workers[1]!.quotas.hold(place, amounts, storage.clock.now(), {}) as Promise<object>;
        void held.then((result) => (isHeld = !("reason" in result)));
        scene.workers[1]!.deliverToPrimary();
      } else {
        const policyPlace = { account: account.account, deployment: "d", name: "quota" };
        const quotas = new CustomerQuotas(new LedgerQuotas(ledger), account.bucket.id, policyPlace as never);
        const context = { user: { sub: place.customerKey }, now: storage.clock.now() } as RequestContext;
        const held = quotas.hold(context, amounts, {}) as Promise<unknown>;
        void held.then((result) => (isHeld = result instanceof Hold));
      }
      while (scene.timers.waiting === 0) await scene.turn();
      expect(isHeld).toBeUndefined();
      // Meanwhile the maximum is raised: the quota that was found is not the current one any more.
      await account.changePlan(plan, { requests: { max: max + 100 } });
      scene.max += 100;
      scene.timers.end();
      while (isHeld === undefined) {
        scene.workers[1]!.deliverToWorker();
        await scene.turn();
      }
      expect(isHeld).toBe(true);
      const now = await ledger.find(place, storage.clock.now());
      expect(now).not.toBe(first);
      expect(now.hold(unit)).toBeInstanceOf(Hold);
    },
  );
});
