import { expect, test } from "bun:test";
import { sqlite } from "../../../test/support/engines.ts";
import { unique } from "../../../test/support/metering.ts";
import { MeteringAccount } from "../../../test/support/metering-rules.ts";
import { Scene } from "../../../test/support/simulated-workers.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { setMeteringClock } from "../../areas/commerce/metering-buckets/metering-buckets.ts";
import { ConnectedWorker } from "../../server/primary-process/connected-worker.ts";
import type { ToPrimary } from "../../server/primary-process/worker-messages.ts";
import { customerPlace } from "../quotas/customer-place.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const storage = useStorage(sqlite);

test("the next primary counts a hold of a worker at the time of its test bucket", async () => {
  const { open, clock } = storage;
  const account = await MeteringAccount.create(open, clock);
  const { act, bucket } = account;
  const customer = unique("customer");
  const { row } = await account.subscribe(await account.plan({ requests: { max: 10 } }), customer);
  const testTime = clock.now() + 40 * day;
  await open.write((transaction) => setMeteringClock({ transaction, act, bucket }, testTime));
  const place = customerPlace(act.account.seq, bucket.id, customer);
  const scene = new Scene(open, () => clock.now(), place, 10, 10);
  scene.takeHold(0);
  while (scene.model.held.length === 0) await scene.settle();
  const holds = scene.workers[0]!.quotas.takeOver();
  expect(holds).toMatchObject([{ testTime }]);
  const { id, amounts, periodStart, periodEnd } = holds[0]!;
  const settle: ToPrimary = ["settle", id, null];
  const count: ToPrimary = ["count", row.seq, periodStart, periodEnd, amounts, testTime];
  for (const [message, taken, whole] of [[settle, holds, 1] as const, [count, [], 2] as const]) {
    const { counters } = new Scene(open, () => clock.now(), place, 10, 10);
    const state = { release: "1", isLeaving: false, writer: "w", holds: [...taken], inProgress: [] };
    const dependencies = { counters, now: () => clock.now(), workerCount: () => 1 };
    new ConnectedWorker(undefined as never, state, 0, dependencies as never).handle(message);
    await counters.ledger.flush();
    const written = await open.reads.all("SELECT time, whole FROM usage_hours WHERE subscription_seq = ?", [row.seq]);
    expect(written).toEqual([{ time: Math.floor(testTime / hour) * hour, whole }]);
  }
});
