import { expect, test } from "bun:test";
import { amountOf } from "../../lib/amount.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import { customerPlace } from "../quotas/customer-place.ts";
import type { CountingToPrimary } from "./messages.ts";
import { PrimaryQuotas } from "./primary-quotas.ts";
import { PrimaryRequestsInProgress } from "./worker-counting.ts";
import { WorkerLeaseBook } from "./worker-lease.ts";

/** A connection to a primary that responds too late. */
function lateLink() {
  const sent: CountingToPrimary[] = [];
  const late: ((response: unknown) => void)[] = [];
  const link = {
    epoch: 1,
    ask: async (_message: CountingToPrimary, onLate?: (response: unknown) => void): Promise<unknown> => {
      late.push(onLate!);
      throw new StorageUnavailable("no response");
    },
    notify: (message: CountingToPrimary) => void sent.push(message),
    notifySurely(message: () => CountingToPrimary | undefined) {
      const now = message();
      if (now) sent.push(now);
    },
  };
  return { link, sent, late };
}

test("a hold that the primary grants too late is released", async () => {
  const { link, sent, late } = lateLink();
  const quotas = new PrimaryQuotas(link, new WorkerLeaseBook(link), () => true);
  const place = customerPlace(1, "bucket", "customer");
  const amounts = new Map([["requests", amountOf(1)!]]);
  const hold = async () => quotas.hold(place, amounts, 0, {});
  await expect(hold()).rejects.toBeInstanceOf(StorageUnavailable);
  await expect(hold()).rejects.toBeInstanceOf(StorageUnavailable);
  const terms = { plan: "gold", features: {} };
  late[0]!({ terms, subscriptionSeq: 1, periodStart: 0, periodEnd: 1 });
  late[1]!({ reason: "no_subscription" });
  expect(sent).toEqual([["release", 1]]);
  expect(quotas.takeOver()).toEqual([]);
});

test("a request in progress that the primary counts too late is ended", async () => {
  const { link, sent, late } = lateLink();
  const inProgress = new PrimaryRequestsInProgress(link);
  for (const response of [true, false]) {
    await expect(inProgress.begin("key", 1, { decisionGroup: 0 })).rejects.toBeInstanceOf(StorageUnavailable);
    late.pop()!(response);
  }
  expect(sent).toEqual([["end", "key"]]);
  expect(inProgress.takeOver()).toEqual([]);
});
