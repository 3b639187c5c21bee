import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import { Hold, type MeterAmounts } from "../../../../counting/quotas/hold.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { setMeteringClock } from "../../metering-buckets/metering-buckets.ts";
import { openQuotaLedger } from "./quota-source.ts";

const one: MeterAmounts = new Map([["requests", amountOf(1)!]]);
const days = (number: number) => Date.UTC(2090, 0, number);

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function scene() {
    const { open, clock } = storage;
    const ledger = openQuotaLedger(open, clock);
    const account = await MeteringAccount.create(open, clock);
    const { act, bucket } = account;
    const moveTo = (time: number) => open.write((transaction) => setMeteringClock({ transaction, act, bucket }, time));
    await moveTo(days(1));
    const customer = unique("customer");
    const { row } = await account.subscribe(await account.plan({ requests: { max: 100 } }), customer);
    await open.write((transaction) =>
      transaction.run("UPDATE subscriptions SET quota_reset_anchor = ?, created_on = ? WHERE seq = ?", [
        days(1),
        days(1),
        row.seq,
      ]),
    );
    const use = async () => {
      const quota = await ledger.find(customerPlace(act.account.seq, bucket.id, customer), clock.now());
      const hold = quota.hold(one);
      expect(hold).toBeInstanceOf(Hold);
      (hold as Hold).settle();
      return quota;
    };
    const hours = async () => {
      const rows = await open.reads.all<{ time: number; whole: number | bigint }>(
        "SELECT time, whole FROM usage_hours WHERE subscription_seq = ? ORDER BY time",
        [row.seq],
      );
      return rows.map(({ time, whole }) => [Number(time), Number(whole)]);
    };
    return { ledger, seq: row.seq, moveTo, use, hours };
  }

  test("usage that is written after the clock has moved has the time of its request", async () => {
    const { ledger, moveTo, use, hours } = await scene();
    await moveTo(days(10));
    await use();
    await use();
    await moveTo(days(15));
    await use();
    await moveTo(days(20));
    await use();
    await ledger.flush();
    const expected = [
      [days(10), 2],
      [days(15), 1],
      [days(20), 1],
    ];
    expect(await hours()).toEqual(expected);
    await use();
    await ledger.flush();
    expect(await hours()).toEqual([...expected.slice(0, 2), [days(20), 2]]);
  });

  test("usage of a hold that is taken over has the time of its test bucket", async () => {
    const { moveTo, use, hours } = await scene();
    await moveTo(days(10));
    const heldIn = (await use()).heldIn!;
    const next = openQuotaLedger(storage.open, storage.clock);
    next.takeOver(heldIn, { amounts: one, isShared: false }).settle();
    await next.flush();
    expect(await hours()).toEqual([[days(10), 1]]);
  });
});
